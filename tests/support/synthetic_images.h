// Pictures that the tests make up.
#pragma once

#include "core/base/half.h"
#include "core/image/picture.h"

#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace gpupost {

// A number for every (x, y, component, level): the same on every machine.
inline uint32_t hash_of(uint32_t x, uint32_t y, uint32_t component, uint32_t level) {
  uint32_t hash = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ component * 0xc2b2ae3du ^ level * 0x27d4eb2fu;
  hash ^= hash >> 15;
  hash *= 0x2c1b3c6du;
  hash ^= hash >> 12;
  hash *= 0x297a2d39u;
  return hash ^ hash >> 15;
}

// What one texel's component holds, as it stands in memory: the low bits of a number of the group's depth.
using BitsOf = std::function<uint32_t(int x, int y, size_t component, int level)>;

inline Level made_level(Size size, Depth depth, int level, const BitsOf& bits_of) {
  Level made{size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))};
  std::byte* at = made.texels.data();
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (size_t c = 0; c < 4; ++c) {
        const uint32_t bits = bits_of(x, y, c, level);
        std::memcpy(at, &bits, bytes_of(depth));  // the low bytes come first
        at += bytes_of(depth);
      }
    }
  }
  return made;
}

inline Group made_group(std::array<Channel, 4> channels, Depth depth, Size base, int level_count,
                        const BitsOf& bits_of) {
  Group group{.channels = std::move(channels), .depth = depth};
  for (int level = 0; level < level_count; ++level)
    group.levels.push_back(made_level(level_size(base, level), depth, level, bits_of));
  return group;
}

// A picture of one group, whose size is that of both windows.
inline Picture picture_of(Group group) {
  const Window window = window_of(group.levels[0].size);
  Picture picture{.data_window = window, .display_window = window};
  picture.groups.push_back(std::move(group));
  return picture;
}
// The same with the group as its color.
inline Picture color_picture_of(Group group) {
  group.is_color = true;
  return picture_of(std::move(group));
}

inline uint32_t bits_of_half(float value) { return half_from_float(value); }
inline uint32_t bits_of_float(float value) { return std::bit_cast<uint32_t>(value); }

// Noise from 0 to 1 in the channels of a color, some of "RGBAY", and all levels, each with noise of its own.
inline Picture noise_of_channels(std::string_view names, Depth depth, Transfer transfer, Size base, uint32_t seed = 0) {
  std::array<Channel, 4> channels;
  for (const char name : names) {
    const size_t component = name == 'Y' ? 0 : std::string_view("RGBA").find(name);
    channels[component] = {std::string(1, name), depth};
  }
  const bool is_gray = names.starts_with('Y');
  Group group =
      made_group(channels, depth, base, level_count_of(base), [&](int x, int y, size_t c, int level) -> uint32_t {
        if (c == 3 && names.find('A') == names.npos)
          return depth == Depth::half ? bits_of_half(1) : depth == Depth::f32 ? bits_of_float(1) : ~0u;
        if (!is_gray && c < 3 && names.find("RGB"[c]) == names.npos) return 0;
        const uint32_t bits =
            hash_of(uint32_t(x), uint32_t(y), is_gray && c < 3 ? 0 : uint32_t(c), uint32_t(level) + seed);
        const float number = float(bits >> 8) * 0x1p-24f;
        return depth == Depth::half ? bits_of_half(number) : depth == Depth::f32 ? bits_of_float(number) : bits;
      });
  group.is_luminance = is_gray;
  Picture picture = color_picture_of(std::move(group));
  picture.transfer = transfer;
  picture.alpha = is_float(depth) ? Alpha::premultiplied : Alpha::straight;
  return picture;
}

using Direction = std::array<double, 3>;

// Where the point (u, v) of a cube's face looks. u and v are -1..1, v downwards, as in OpenGL and Direct3D.
inline Direction direction_of(int face, double u, double v) {
  const Direction directions[] = {{1, -v, -u}, {-1, -v, u}, {u, 1, v}, {u, -1, -v}, {u, -v, 1}, {-u, -v, -1}};
  return directions[face];
}

}  // namespace gpupost
