// Decodes EXR texels with a library, a few chunks at a time.
#pragma once

#include "core/codec/exr/header.h"

#include <functional>
#include <memory>
#include <span>

namespace gpupost {

// A decoded block of a level: its position, and one plane per channel in the depth of the file, without padding.
struct DecodedBlock {
  ExrPlace place;
  std::span<unsigned char* const> planes;
};
using BlockSink = std::function<void(const DecodedBlock&)>;

// Decodes a level of a file, which must outlive the decoder. The library sees only the parts of the header that it
// needs.
class BlockDecoder {
 public:
  virtual ~BlockDecoder() = default;
  virtual int count() const = 0;
  // Decodes block `index` in the calling thread and passes it to `use`. Throws Error(Exit::input) for damaged data.
  virtual void decode(int index, const BlockSink& use) const = 0;
};

[[noreturn]] void refuse_chunk(size_t chunk);

std::unique_ptr<BlockDecoder> pieces_by_tinyexr(Bytes file, const ExrHeader& header, const ExrLevel& level);
// Decoder for other compressions, and for subsampled channels, whose values are repeated.
std::unique_ptr<BlockDecoder> pieces_by_openexr(Bytes file, const ExrHeader& header, const ExrLevel& level);
// The decoder that can read the part, which is flat.
std::unique_ptr<BlockDecoder> pieces_of(Bytes file, const ExrHeader& header, const ExrLevel& level);
// Decoder that composites the samples of a deep part. A block has the planes of flat_channels(). `most_bytes`: limit for the
// samples of a chunk.
std::unique_ptr<BlockDecoder> flattened_blocks(Bytes file, const ExrHeader& header, const ExrLevel& level,
                                               uint64_t most_bytes);
// Channels of the flat image of a deep part: all but ZBack.
std::vector<Channel> flat_channels(const ExrHeader& header);
// Throws Error(Exit::input) if a deep part cannot be flattened.
void check_flattens(const ExrHeader& header);

// Decodes all blocks, on all cores.
void decode_all(const BlockDecoder& blocks, const BlockSink& use);

}  // namespace gpupost
