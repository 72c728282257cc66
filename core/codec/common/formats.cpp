// The table of formats, and the three ways to find a row of it.
#include "core/codec/common/bytes.h"
#include "core/codec/common/format.h"
#include "core/codec/common/reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace gpupost {

static const std::array<Format, 8>& formats() {
  static const std::array<Format, 8> rows = {{
      {.name = "exr",
       .extensions = {"exr"},
       .description = "OpenEXR, one part: scan lines or tiles; none, RLE, ZIPS, ZIP, PIZ",
       .can_read = true,
       .written_depths = {Depth::half, Depth::f32},
       .levels = FileLevels::one_or_all,
       .holds_everything = true},
      {.name = "png",
       .extensions = {"png"},
       .description = "PNG, 1 to 16 bit, gray, color or palette, with or without alpha",
       .can_read = true,
       .written_depths = {Depth::u8, Depth::u16}},
      {.name = "ktx2",
       .extensions = {"ktx2"},
       .description = "Khronos texture, uncompressed R, RG or RGBA",
       .written_depths = {Depth::u8, Depth::u16, Depth::half, Depth::f32},
       .levels = FileLevels::any,
       .holds_arrangements = true},
      {.name = "dds",
       .extensions = {"dds"},
       .description = "DirectDraw surface with the DX10 header, uncompressed R, RG or RGBA",
       .written_depths = {Depth::u8, Depth::u16, Depth::half, Depth::f32},
       .levels = FileLevels::any,
       .holds_arrangements = true},
      {.name = "jpg", .extensions = {"jpg", "jpeg", "jpe"}, .description = "JPEG, 8 bit", .can_read = true},
      {.name = "tga", .extensions = {"tga"}, .description = "Truevision TGA, plain or run lengths", .can_read = true},
      {.name = "bmp", .extensions = {"bmp", "dib"}, .description = "Windows bitmap, uncompressed", .can_read = true},
      {.name = "hdr",
       .extensions = {"hdr", "pic"},
       .description = "Radiance RGBE, flat or run lengths",
       .can_read = true},
  }};
  return rows;
}

std::span<const Format> all_formats() { return formats(); }

std::string writable_extensions(bool with_levels) {
  std::vector<std::string> names;
  for (const Format& row : formats())
    if (row.can_write() && (!with_levels || row.levels != FileLevels::one))
      names.push_back("." + std::string(row.extensions.front()));
  const std::span all(names);
  return fmt::format("{} or {}", fmt::join(all.first(all.size() - 1), ", "), all.back());
}

const Format* format_named(std::string_view name) {
  const auto row = std::ranges::find(formats(), name, &Format::name);
  return row == formats().end() ? nullptr : &*row;
}

const Format* format_of_extension(std::string_view path) {
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  std::string extension(path.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  for (const Format& row : formats())
    if (std::ranges::find(row.extensions, extension) != row.extensions.end()) return &row;
  return nullptr;
}

// TGA has no magic bytes: every field of its header has to be one that a TGA can have.
static bool looks_like_tga(Bytes start) {
  if (start.size() < 18) return false;
  const int map_kind = byte_at(start, 1);
  const int image_kind = byte_at(start, 2) & ~8;  // 8: run lengths
  const int map_bits = byte_at(start, 7);
  const int texel_bits = byte_at(start, 16);
  const auto is_one_of = [](int value, std::initializer_list<int> choices) {
    return std::ranges::find(choices, value) != choices.end();
  };
  if (byte_at(start, 2) > 11 || !is_one_of(image_kind, {1, 2, 3})) return false;
  if (map_kind > 1 || (image_kind == 1) != (map_kind == 1)) return false;
  if (map_kind == 1 && !is_one_of(map_bits, {8, 15, 16, 24, 32})) return false;
  if (little_at<uint16_t>(start, 12) == 0 || little_at<uint16_t>(start, 14) == 0) return false;
  return is_one_of(texel_bits, image_kind == 1   ? std::initializer_list<int>{8, 16}
                               : image_kind == 2 ? std::initializer_list<int>{15, 16, 24, 32}
                                                 : std::initializer_list<int>{8, 16});
}

const Format* format_of_bytes(std::span<const std::byte> start) {
  if (starts_with(start, "\x76\x2f\x31\x01")) return format_named("exr");
  if (starts_with(start, "\x89PNG\r\n\x1a\n")) return format_named("png");
  if (starts_with(start, "\xabKTX 20\xbb\r\n\x1a\n")) return format_named("ktx2");
  if (starts_with(start, "DDS \x7c")) return format_named("dds");
  if (starts_with(start, "\xff\xd8\xff")) return format_named("jpg");
  if (starts_with(start, "#?RADIANCE\n") || starts_with(start, "#?RGBE\n")) return format_named("hdr");
  if (starts_with(start, "BM") && start.size() >= 18 && little_at<uint32_t>(start, 14) <= 124)
    return format_named("bmp");
  return looks_like_tga(start) ? format_named("tga") : nullptr;
}

const Format& readable_format(Bytes start) {
  const Format* format = format_of_bytes(start);
  if (!format) {
    std::string names;
    for (const Format& row : all_formats())
      if (row.can_read) names += (names.empty() ? "" : ", ") + std::string(row.name);
    fail(Exit::input, "is no image of a format known here ({})", names);
  }
  if (!format->can_read) fail(Exit::input, "is a {} file; they are written here but not read", format->name);
  return *format;
}

}  // namespace gpupost
