#include "core/codec/texture/texel_formats.h"

#include <algorithm>
#include <array>

namespace gpupost {

static constexpr TexelFormat block_format(BlockFormat blocks, Transfer transfer, size_t component_count,
                                          uint32_t vulkan, uint32_t dxgi) {
  return {.depth = blocks == BlockFormat::bc6h ? Depth::half : Depth::u8,
          .transfer = transfer,
          .component_count = component_count,
          .vulkan = vulkan,
          .dxgi = dxgi,
          .blocks = blocks};
}

static constexpr TexelFormat signed_block_format(BlockFormat blocks, size_t component_count, uint32_t vulkan,
                                                 uint32_t dxgi) {
  TexelFormat format = block_format(blocks, Transfer::linear, component_count, vulkan, dxgi);
  format.depth = Depth::half;
  format.is_signed = true;
  return format;
}

// Those that are written come before others with the same components. Sources: vulkan_core.h, dxgiformat.h.
static constexpr std::array texel_formats{
    TexelFormat{Depth::u8, Transfer::linear, 1, 9, 61},
    TexelFormat{Depth::u8, Transfer::linear, 2, 16, 49},
    TexelFormat{Depth::u8, Transfer::linear, 4, 37, 28},
    TexelFormat{Depth::u8, Transfer::srgb, 1, 15, 0},
    TexelFormat{Depth::u8, Transfer::srgb, 2, 22, 0},
    TexelFormat{Depth::u8, Transfer::srgb, 4, 43, 29},
    TexelFormat{Depth::u16, Transfer::linear, 1, 70, 56},
    TexelFormat{Depth::u16, Transfer::linear, 2, 77, 35},
    TexelFormat{Depth::u16, Transfer::linear, 4, 91, 11},
    TexelFormat{Depth::half, Transfer::linear, 1, 76, 54},
    TexelFormat{Depth::half, Transfer::linear, 2, 83, 34},
    TexelFormat{Depth::half, Transfer::linear, 4, 97, 10},
    TexelFormat{Depth::f32, Transfer::linear, 1, 100, 41},
    TexelFormat{Depth::f32, Transfer::linear, 2, 103, 16},
    TexelFormat{Depth::f32, Transfer::linear, 4, 109, 2},
    // only read
    TexelFormat{Depth::u8, Transfer::linear, 3, 23, 0},
    TexelFormat{Depth::u8, Transfer::srgb, 3, 29, 0},
    TexelFormat{Depth::u8, Transfer::linear, 3, 30, 0, ComponentOrder::bgra},
    TexelFormat{Depth::u8, Transfer::srgb, 3, 36, 0, ComponentOrder::bgra},
    TexelFormat{Depth::u8, Transfer::linear, 4, 44, 87, ComponentOrder::bgra},
    TexelFormat{Depth::u8, Transfer::srgb, 4, 50, 91, ComponentOrder::bgra},
    TexelFormat{Depth::u8, Transfer::linear, 4, 0, 88, ComponentOrder::bgrx},
    TexelFormat{Depth::u8, Transfer::srgb, 4, 0, 93, ComponentOrder::bgrx},
    TexelFormat{Depth::u16, Transfer::linear, 3, 84, 0},
    TexelFormat{Depth::half, Transfer::linear, 3, 90, 0},
    TexelFormat{Depth::f32, Transfer::linear, 3, 106, 6},
    // blocks, those that are written before others
    block_format(BlockFormat::bc1, Transfer::linear, 3, 131, 71),
    block_format(BlockFormat::bc1, Transfer::srgb, 3, 132, 72),
    block_format(BlockFormat::bc3, Transfer::linear, 4, 137, 77),
    block_format(BlockFormat::bc3, Transfer::srgb, 4, 138, 78),
    block_format(BlockFormat::bc4, Transfer::linear, 1, 139, 80),
    block_format(BlockFormat::bc5, Transfer::linear, 2, 141, 83),
    block_format(BlockFormat::bc6h, Transfer::linear, 3, 143, 95),
    block_format(BlockFormat::bc7, Transfer::linear, 4, 145, 98),
    block_format(BlockFormat::bc7, Transfer::srgb, 4, 146, 99),
    block_format(BlockFormat::bc1, Transfer::linear, 4, 133, 0),
    block_format(BlockFormat::bc1, Transfer::srgb, 4, 134, 0),
    block_format(BlockFormat::bc2, Transfer::linear, 4, 135, 74),
    block_format(BlockFormat::bc2, Transfer::srgb, 4, 136, 75),
    signed_block_format(BlockFormat::bc4, 1, 140, 81),
    signed_block_format(BlockFormat::bc5, 2, 142, 84),
    signed_block_format(BlockFormat::bc6h, 3, 144, 96),
};

template <class Matches>
static const TexelFormat* first_that(const Matches& matches) {
  const auto row = std::ranges::find_if(texel_formats, matches);
  return row == texel_formats.end() ? nullptr : &*row;
}

const TexelFormat* texel_format_of(Depth depth, Transfer transfer, size_t component_count) {
  return first_that([&](const TexelFormat& format) {
    return !format.has_blocks() && format.depth == depth && format.transfer == transfer &&
           format.component_count == component_count;
  });
}

const TexelFormat* texel_format_of(BlockFormat blocks, Transfer transfer, bool is_signed) {
  return first_that([&](const TexelFormat& format) {
    return format.blocks == blocks && format.transfer == transfer && format.is_signed == is_signed;
  });
}

const TexelFormat* texel_format_of_vulkan(uint32_t number) {
  return number == 0 ? nullptr : first_that([&](const TexelFormat& format) { return format.vulkan == number; });
}

const TexelFormat* texel_format_of_dxgi(uint32_t number) {
  return number == 0 ? nullptr : first_that([&](const TexelFormat& format) { return format.dxgi == number; });
}

}  // namespace gpupost
