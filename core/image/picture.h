// An image in memory, between file and device.
#pragma once

#include "core/base/memory.h"
#include "core/image/color_matrices.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// Storage type of a channel.
enum class Depth { u8, u16, u32, half, f32 };

constexpr size_t bytes_of(Depth depth) {
  return depth == Depth::u8 ? 1 : depth == Depth::u16 || depth == Depth::half ? 2 : 4;
}
constexpr bool is_float(Depth depth) { return depth == Depth::half || depth == Depth::f32; }
std::string_view name_of(Depth depth);  // "8", "16", "uint", "16f", "32f"

// Transfer function. In pq and hlg, light of 1 is the reference white of ITU-R BT.2408: 203 cd/m2, and 75 % of the
// signal.
enum class Transfer { linear, srgb, bt709, power, pq, hlg };
// Whether color was multiplied by alpha. `premultiplied`: after it was encoded with the curve. `premultiplied_light`: before, as
// GPUs blend textures, which they decode first. In linear color both are the same, and only the first is used.
enum class Alpha { premultiplied, premultiplied_light, straight };

// Returns how alpha is read if a file records `recorded` and --input-alpha asks for `asked`.
constexpr Alpha overridden(Alpha recorded, Alpha asked) {
  return asked == Alpha::premultiplied && recorded == Alpha::premultiplied_light ? recorded : asked;
}

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};
constexpr size_t texel_count(Size size) { return size_t(size.width) * size_t(size.height); }

// A position in an image: column and row from the top left.
struct Position {
  int x = 0;
  int y = 0;
  bool operator==(const Position&) const = default;
};

// A region of an image. Beyond the borders, the image repeats.
struct Region {
  Position corner;
  Size size;
  bool operator==(const Region&) const = default;
};
constexpr Region whole_region(Size size) { return {.corner = {}, .size = size}; }

// Size of mip level `level`: max(1, floor(side / 2^level)).
constexpr Size level_size(Size base, int level) {
  const auto side = [level](int n) { return (n >> level) > 0 ? n >> level : 1; };
  return {side(base.width), side(base.height)};
}
// Number of levels of a complete chain, with level 0: floor(log2(longer side)) + 1.
int level_count_of(Size base);

// A window with inclusive corners in pixels, as in EXR.
struct Window {
  int min_x = 0, min_y = 0, max_x = -1, max_y = -1;
  bool operator==(const Window&) const = default;
};
constexpr Window window_of(Size size) { return {0, 0, size.width - 1, size.height - 1}; }
constexpr Size size_of(const Window& window) {
  return {window.max_x - window.min_x + 1, window.max_y - window.min_y + 1};
}

// Data window and display window.
struct Windows {
  Window data, display;
  bool operator==(const Windows&) const = default;
};

// One component of a group, which is a channel of the file. With an empty name the component does not exist: texels
// hold 0, or 1 for alpha.
struct Channel {
  std::string name;
  Depth depth = Depth::f32;  // type in the file; the group's texels may have a larger type
};

struct Level {
  Size size;
  TexelBuffer texels;  // width * height * 4 values of the group's depth, rows from the top, no padding
};

// What a chain makes of a gray image (R = G = B). gray: it stays gray, and differences from rounding are ignored. by_values: the
// values of the result decide. color: the result has R, G and B. A later value is stronger.
enum class GrayResult { gray, by_values, color };

// The value that texels of a cube get if they touch across an edge or a corner of its faces.
enum class SeamValue {
  mean,
  minimum,             // the minimum of each component
  maximum,             // the maximum of each component
  direction,           // the mean of the directions 2 c - 1, normalized
  weighted_direction,  // the same, but alpha holds the length of each direction, and then that of the mean
};

// Up to four channels that are stored and processed as one RGBA image. The color group has red, green, blue and alpha
// in components 0 to 3; other groups have channels in alphabetical order. Either all channels of a group are uint, or
// none; either all are ids, or none.
struct Group {
  std::array<Channel, 4> channels;
  Depth depth = Depth::f32;
  bool is_color = false;
  bool is_data = false;         // for the color group: values are data, not colors, and alpha is independent
  bool is_cryptomatte = false;  // holds ids and their coverage
  bool is_luminance = false;    // a gray image: channel 0 is Y, and its value is in components 0, 1 and 2
  std::vector<Level> levels;    // starting with level 0

  bool has_alpha() const { return is_color && !channels[3].name.empty(); }
  // Numbers that ops must not mix or round: the nearest texel's takes their place.
  bool has_ids() const { return depth == Depth::u32 || is_cryptomatte; }
};

// An attribute of an EXR header that describes the image, not its storage. The value is stored byte for byte.
struct Attribute {
  std::string name;
  std::string type;
  std::vector<uint8_t> value;
};

struct Picture {
  std::string format;        // of the file it came from: "exr", "png", ...
  std::string compression;   // of an EXR, a TIFF or a texture: "none", "rle", "zips", "zip", "piz", "pxr24", ...
  int file_level_count = 1;  // number of mip levels in the file; one was read
  Window data_window;        // its size is the size of level 0
  Window display_window;
  Transfer transfer = Transfer::linear;  // transfer of the color group's current texels
  double exponent = 1;                   // for Transfer::power: light = value ^ exponent
  Alpha alpha = Alpha::premultiplied;    // alpha of the color group's current texels
  std::vector<Group> groups;             // the color group is first, if there is one
  std::vector<Attribute> attributes;
  std::optional<Matrix3> to_xyz;  // Primaries::to_xyz of the color, which no attribute records

  Size size() const { return size_of(data_window); }
};

// Rounding error of storing a value, if `magnitude` is the sum of the absolute values that contributed: 3 * 2^-22 of it
// for float, 3 * 2^-11 for half and 8 bits, plus the loss near 0.
double rounding(double magnitude, Depth depth);
// The largest value of a depth; larger values are clamped.
double largest(Depth depth);

}  // namespace gpupost
