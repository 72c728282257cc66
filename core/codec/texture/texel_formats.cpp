#include "core/codec/texture/texel_formats.h"

#include <algorithm>
#include <array>

namespace gpupost {

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
};

template <class Matches>
static const TexelFormat* first_that(const Matches& matches) {
  const auto row = std::ranges::find_if(texel_formats, matches);
  return row == texel_formats.end() ? nullptr : &*row;
}

const TexelFormat* texel_format_of(Depth depth, Transfer transfer, size_t component_count) {
  return first_that([&](const TexelFormat& format) {
    return format.depth == depth && format.transfer == transfer && format.component_count == component_count;
  });
}

const TexelFormat* texel_format_of_vulkan(uint32_t number) {
  return number == 0 ? nullptr : first_that([&](const TexelFormat& format) { return format.vulkan == number; });
}

const TexelFormat* texel_format_of_dxgi(uint32_t number) {
  return number == 0 ? nullptr : first_that([&](const TexelFormat& format) { return format.dxgi == number; });
}

}  // namespace gpupost
