// Unpacks chunks of deep EXR parts, in which a texel has any number of samples.
#pragma once

#include "core/codec/exr/header.h"

#include <vector>

namespace gpupost {

// The samples of one row of texels in a chunk. Each channel has all samples of the row, one texel after the other.
struct DeepRow {
  std::vector<uint32_t> ends;                  // for each texel: number of samples up to its last one
  std::vector<const std::byte*> channel_data;  // one for each channel of the header

  uint32_t first(size_t x) const { return x == 0 ? 0 : ends[x - 1]; }
  uint32_t count(size_t x) const { return ends[x] - first(x); }
};

struct DeepChunk {
  ExrPlace place;
  std::vector<DeepRow> rows;
  std::vector<std::byte> samples;  // `channel_data` points into it
};

// Unpacks a chunk that check_exr_chunks has accepted. Throws Error(Exit::input) if it is damaged or needs more than
// `most_bytes`.
DeepChunk unpack_deep_chunk(Bytes file, const ExrHeader& header, const ExrLevel& level, int column, int row,
                            uint64_t most_bytes);

}  // namespace gpupost
