// The uncompressed texel formats of KTX2 and DDS.
#pragma once

#include "core/image/picture.h"

#include <cstddef>
#include <cstdint>

namespace gpupost {

// Order of the components of a texel. `bgrx`: the fourth one has no meaning.
enum class ComponentOrder { rgba, bgra, bgrx };

// A texel format with its numbers in KTX2 and DDS.
struct TexelFormat {
  Depth depth = Depth::u8;
  Transfer transfer = Transfer::linear;
  size_t component_count = 4;
  uint32_t vulkan = 0;  // VkFormat; 0: there is none
  uint32_t dxgi = 0;    // DXGI_FORMAT; 0: there is none
  ComponentOrder order = ComponentOrder::rgba;

  size_t bytes() const { return component_count * bytes_of(depth); }
};

// The format that is written: R, RG or RGBA. nullptr if neither KTX2 nor DDS has it.
const TexelFormat* texel_format_of(Depth depth, Transfer transfer, size_t component_count);
// nullptr if the number is not that of an uncompressed format that is read.
const TexelFormat* texel_format_of_vulkan(uint32_t number);
const TexelFormat* texel_format_of_dxgi(uint32_t number);

}  // namespace gpupost
