// Numbers of DDS headers: Microsoft's "Programming Guide for DDS".
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpupost::dds {

constexpr size_t header_bytes = 128, dx10_bytes = 20;           // with the magic bytes; the DX10 header follows
constexpr uint32_t has_all_fields = 0x21007;                    // caps, height, width, pixel format and count of levels
constexpr uint32_t has_pitch = 0x8, has_level_bytes = 0x80000;  // of level 0
constexpr uint32_t caps_texture = 0x1000, caps_mip_mapped = 0x400008, caps_complex = 0x8;
constexpr uint32_t caps2_cube = 0x200, caps2_faces = 0xfc00, caps2_volume = 0x200000;
constexpr uint32_t pixel_alpha = 0x1, pixel_four_cc = 0x4, pixel_rgb = 0x40, pixel_luminance = 0x20000;
constexpr uint32_t dimension_2d = 3, misc_cube = 4;
constexpr uint32_t alpha_straight = 1, alpha_premultiplied = 2, alpha_opaque = 3,
                   alpha_custom = 4;  // a channel that is not opacity

}  // namespace gpupost::dds
