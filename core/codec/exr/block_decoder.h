// Texels of an EXR file, decoded by a library a few chunks at a time.
#pragma once

#include "core/codec/exr/header.h"

#include <functional>
#include <memory>
#include <span>

namespace gpupost {

// A part of a level: where it lies, and a plane of numbers a channel, in the file's depth, rows without padding.
struct DecodedBlock {
  ExrPlace place;
  std::span<unsigned char* const> planes;
};
using BlockSink = std::function<void(const DecodedBlock&)>;

// A level of a file, which must outlive it. The library is shown nothing of the file's header but what decoding needs.
class BlockDecoder {
 public:
  virtual ~BlockDecoder() = default;
  virtual int count() const = 0;
  // Decodes piece `index` on the calling thread and shows it to `use`. Throws Error(Exit::input) for damaged data.
  virtual void decode(int index, const BlockSink& use) const = 0;
};

[[noreturn]] void refuse_chunk(size_t chunk);

std::unique_ptr<BlockDecoder> pieces_by_tinyexr(Bytes file, const ExrHeader& header, const ExrLevel& level);
// The others' pieces: other compressions, and sub-sampled channels, whose numbers are repeated.
std::unique_ptr<BlockDecoder> pieces_by_openexr(Bytes file, const ExrHeader& header, const ExrLevel& level);

}  // namespace gpupost
