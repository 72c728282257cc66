// The texel formats of KTX2 and DDS.
#pragma once

#include "core/codec/blocks/level.h"
#include "core/image/picture.h"

#include <cstddef>
#include <cstdint>

namespace gpupost {

// Order of the components of a texel. `bgrx`: the fourth one has no meaning.
enum class ComponentOrder { rgba, bgra, bgrx };

// A texel format with its numbers in KTX2 and DDS. Of compressed blocks, depth and component count are those of decoded texels.
struct TexelFormat {
  Depth depth = Depth::u8;
  Transfer transfer = Transfer::linear;
  size_t component_count = 4;
  uint32_t vulkan = 0;  // VkFormat; 0: there is none
  uint32_t dxgi = 0;    // DXGI_FORMAT; 0: there is none
  ComponentOrder order = ComponentOrder::rgba;
  BlockFormat blocks = BlockFormat::none;
  bool is_signed = false;  // numbers of BC4, BC5 and BC6H may be below 0

  bool has_blocks() const { return blocks != BlockFormat::none; }
  size_t texel_bytes() const { return component_count * bytes_of(depth); }                     // of a decoded texel
  size_t unit_bytes() const { return has_blocks() ? block_bytes_of(blocks) : texel_bytes(); }  // of a texel or a block
  size_t level_bytes(Size size) const {
    return has_blocks() ? block_bytes_of(blocks, size) : texel_count(size) * texel_bytes();
  }
};

// The uncompressed format that is written: R, RG or RGBA. nullptr if neither KTX2 nor DDS has it.
const TexelFormat* texel_format_of(Depth depth, Transfer transfer, size_t component_count);
// nullptr if the blocks are always linear.
const TexelFormat* texel_format_of(BlockFormat blocks, Transfer transfer, bool is_signed = false);
// nullptr if the number is not that of a format that is read.
const TexelFormat* texel_format_of_vulkan(uint32_t number);
const TexelFormat* texel_format_of_dxgi(uint32_t number);

}  // namespace gpupost
