// Blocks of block-compressed textures: 4 x 4 texels, row by row, in 8 or 16 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpupost {

constexpr int block_side = 4;
using ByteTexels = std::array<std::array<uint8_t, 4>, 16>;   // R, G, B and alpha
using HalfTexels = std::array<std::array<uint16_t, 4>, 16>;  // the same as bits of halves

}  // namespace gpupost
