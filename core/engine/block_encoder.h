// Block compression on a device. Choices are those of core/codec/blocks, but numbers round in other ways, so that blocks may differ.
#pragma once

#include "core/codec/blocks/block.h"
#include "core/gpu/gpu.h"

namespace gpupost {

// Whether a device encodes this format.
constexpr bool has_block_kernel(BlockFormat format) { return format == BlockFormat::bc7; }

// The plan that encodes a level of four bytes a texel. A texel of the result holds the bits of a block.
Plan plan_of_blocks(BlockFormat format, Size size, const DeviceTraits& traits);

// Encodes a level as encode_blocks() does. Throws as Gpu::run() does.
void encode_blocks_on(Gpu& gpu, BlockFormat format, const Level& level, std::span<std::byte> blocks);

}  // namespace gpupost
