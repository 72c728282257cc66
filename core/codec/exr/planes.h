// From interleaved texels to what an EXR writer takes: one plane a channel, of the whole level or of each tile.
#pragma once

#include "core/codec/common/format.h"

namespace gpupost {

// A channel of the file to be.
struct ExrChannel {
  std::string name;
  const Group* group = nullptr;
  size_t component = 0;
  Depth depth = Depth::half;  // half, f32 or u32
};

// The numbers of one level, tile after tile, and in a tile plane after plane. All tiles take the same room; those at the
// right and bottom edge do not fill it.
struct Planes {
  Size size;
  Size tile;
  Size tile_count;
  std::vector<size_t> offsets;  // of each channel's plane in its tile, bytes
  size_t tile_bytes = 0;
  TexelBuffer numbers;
  size_t clamped_count = 0;  // finite numbers that half could not hold

  std::byte* plane(int tile_x, int tile_y, size_t channel) {
    const size_t index = size_t(tile_y) * size_t(tile_count.width) + size_t(tile_x);
    return numbers.data() + index * tile_bytes + offsets[channel];
  }
};

// Every group of `channels` has a level `level`, all of one size.
Planes make_planes(const std::vector<ExrChannel>& channels, int level, Size tile);

}  // namespace gpupost
