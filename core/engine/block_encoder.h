// Block compression on a device, with the same result as in core/codec/blocks, bit for bit.
#pragma once

#include "core/codec/blocks/block.h"
#include "core/gpu/gpu.h"

namespace gpupost {

// Whether a device encodes this format.
constexpr bool has_block_kernel(BlockFormat format) {
  return format == BlockFormat::bc6h || format == BlockFormat::bc7;
}

// The plan that encodes a level of bytes, or of halves for BC6H. A texel of the result holds the bits of a block.
Plan plan_of_blocks(BlockFormat format, Size size, const DeviceTraits& traits);

// Encodes a level as encode_blocks() does. Throws as Gpu::run() does.
void encode_blocks_on(Gpu& gpu, BlockFormat format, const Level& level, std::span<std::byte> blocks);

}  // namespace gpupost
