// What a picture is between its file and the device.
#pragma once

#include "core/base/memory.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// How one number of a channel is stored.
enum class Depth { u8, u16, u32, half, f32 };

constexpr size_t bytes_of(Depth depth) {
  return depth == Depth::u8 ? 1 : depth == Depth::u16 || depth == Depth::half ? 2 : 4;
}
constexpr bool is_float(Depth depth) { return depth == Depth::half || depth == Depth::f32; }
std::string_view name_of(Depth depth);  // "8", "16", "uint", "16f", "32f"

// How light becomes a number. In pq and hlg a number of light, 1, is the reference white of ITU-R BT.2408: 203 cd/m2, and 75 %
// of the signal.
enum class Transfer { linear, srgb, bt709, power, pq, hlg };
enum class Alpha { premultiplied, straight };

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};
constexpr size_t texel_count(Size size) { return size_t(size.width) * size_t(size.height); }

// A place in a picture: column and row, from the top left.
struct Position {
  int x = 0;
  int y = 0;
  bool operator==(const Position&) const = default;
};

// Texels of a picture. What lies beyond its borders is its endless repetition.
struct Region {
  Position corner;
  Size size;
  bool operator==(const Region&) const = default;
};
constexpr Region whole_region(Size size) { return {.corner = {}, .size = size}; }

// Size of mip level `level`, 0 the base: max(1, floor(side / 2^level)).
constexpr Size level_size(Size base, int level) {
  const auto side = [level](int n) { return (n >> level) > 0 ? n >> level : 1; };
  return {side(base.width), side(base.height)};
}
// Levels of a whole chain with its base: floor(log2(longer side)) + 1.
int level_count_of(Size base);

// Inclusive corners in pixels, as EXR has them.
struct Window {
  int min_x = 0, min_y = 0, max_x = -1, max_y = -1;
  bool operator==(const Window&) const = default;
};
constexpr Window window_of(Size size) { return {0, 0, size.width - 1, size.height - 1}; }
constexpr Size size_of(const Window& window) {
  return {window.max_x - window.min_x + 1, window.max_y - window.min_y + 1};
}

// Where a picture's numbers lie and what of it is to be seen.
struct Windows {
  Window data, display;
  bool operator==(const Windows&) const = default;
};

// One component of a group: the channel of the file behind it. An empty name: there is none, and the texels hold 0
// there (in an alpha that is missing: one).
struct Channel {
  std::string name;
  Depth depth = Depth::f32;  // in the file; the group's texels may hold it wider
};

struct Level {
  Size size;
  TexelBuffer texels;  // width * height * 4 numbers of the group's depth, rows from the top, no padding
};

// Up to four channels that travel together, always interleaved by four. The color group has its red, green, blue
// and alpha at components 0 to 3; others hold what the file has in alphabetical order. All channels of a group are
// uint, or none is.
struct Group {
  std::array<Channel, 4> channels;
  Depth depth = Depth::f32;
  bool is_color = false;
  bool is_data = false;       // of the color group: its numbers are no colors, and alpha is no part of them
  bool is_luminance = false;  // a gray picture: channel 0 is Y, its value stands in components 0, 1 and 2
  std::vector<Level> levels;  // level 0 first

  bool has_alpha() const { return is_color && !channels[3].name.empty(); }
};

// An attribute of an EXR header that says something of the picture and not of its storage, byte for byte.
struct Attribute {
  std::string name;
  std::string type;
  std::vector<uint8_t> value;
};

struct Picture {
  std::string format;        // of the file it came from: "exr", "png", ...
  std::string compression;   // of an EXR or a TIFF: "none", "rle", "zips", "zip", "piz", "pxr24", ...
  int file_level_count = 1;  // mip levels in the file; one of them was read
  Window data_window;        // its size is the size of level 0
  Window display_window;
  Transfer transfer = Transfer::linear;  // of the color group's texels as they stand
  double exponent = 1;                   // of Transfer::power: light is the number to the power of it
  Alpha alpha = Alpha::premultiplied;    // likewise
  std::vector<Group> groups;             // the color group first where there is one
  std::vector<Attribute> attributes;

  Size size() const { return size_of(data_window); }
};

// What storing a number may add to its error where the absolute values of all that it was made of are `magnitude` together:
// 3 * 2^-22 of it for floats, 3 * 2^-11 for halves and 8 bits, and what numbers near zero lose.
double rounding(double magnitude, Depth depth);
// The largest number of a depth; what is larger is clamped to it.
double largest(Depth depth);

}  // namespace gpupost
