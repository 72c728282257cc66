// Blocks of block-compressed textures: 4 x 4 texels, row by row, in 8 or 16 bytes. Khronos Data Format Specification 1.3, chapters
// S3TC (BC1 to BC3), RGTC (BC4 and BC5) and BPTC (BC6H and BC7).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpupost {

enum class BlockFormat { none, bc1, bc2, bc3, bc4, bc5, bc6h, bc7 };
inline constexpr std::string_view block_format_names[] = {"none", "bc1", "bc2", "bc3", "bc4", "bc5", "bc6h", "bc7"};

constexpr size_t block_bytes_of(BlockFormat format) {
  return format == BlockFormat::bc1 || format == BlockFormat::bc4 ? 8 : 16;
}

constexpr int block_side = 4;
using ByteTexels = std::array<std::array<uint8_t, 4>, 16>;   // R, G, B and alpha
using HalfTexels = std::array<std::array<uint16_t, 4>, 16>;  // the same as bits of halves

}  // namespace gpupost
