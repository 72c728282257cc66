// Block compression of a level of a texture. Texels are rows from the top without padding. Numbers of texels are halves for BC6H
// and for signed BC4 and BC5, else bytes.
#pragma once

#include "core/codec/blocks/block.h"
#include "core/image/picture.h"

#include <span>

namespace gpupost {

// Bytes of a level. Blocks at the right and lower edge may reach beyond it.
constexpr size_t block_bytes_of(BlockFormat format, Size size) {
  const auto blocks = [](int length) { return (size_t(length) + block_side - 1) / block_side; };
  return blocks(size.width) * blocks(size.height) * block_bytes_of(format);
}

// Decodes the first `component_count` components. `blocks` has block_bytes_of(format, size) bytes. `is_signed`: of BC4, BC5 and
// BC6H.
void decode_blocks(BlockFormat format, bool is_signed, Size size, size_t component_count,
                   std::span<const std::byte> blocks, std::span<std::byte> texels);

// Encodes R, G, B and alpha, without a sign; all formats but BC2. Texels beyond the edge are those at the edge.
void encode_blocks(BlockFormat format, Size size, std::span<const std::byte> texels, std::span<std::byte> blocks);

}  // namespace gpupost
