// Converts interleaved texels to planes for EXR writers: one plane per channel, for the whole level or for each tile.
#pragma once

#include "core/codec/common/format.h"

namespace gpupost {

// A channel of the output file.
struct ExrChannel {
  std::string name;
  const Group* group = nullptr;
  size_t component = 0;
  Depth depth = Depth::half;  // half, f32 or u32
};

// The values of one level: tiles in order, and one plane per channel in each tile. All tiles have the same memory size;
// tiles at the right and bottom edge do not fill it.
struct Planes {
  Size size;
  Size tile;
  Size tile_count;
  std::vector<size_t> offsets;  // offset of each channel's plane in a tile, in bytes
  size_t tile_bytes = 0;
  TexelBuffer numbers;
  size_t clamped_count = 0;  // finite values that were clamped for half

  std::byte* plane(int tile_x, int tile_y, size_t channel) {
    const size_t index = size_t(tile_y) * size_t(tile_count.width) + size_t(tile_x);
    return numbers.data() + index * tile_bytes + offsets[channel];
  }
};

// All groups of `channels` must have `level`, with the same size.
Planes make_planes(const std::vector<ExrChannel>& channels, int level, Size tile);

}  // namespace gpupost
