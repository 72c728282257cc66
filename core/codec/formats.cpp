// The table of formats, and the ways to find a row of it.
#include "core/codec/formats.h"
#include "core/base/text.h"

#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/reader.h"
#include "core/codec/common/writer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace gpupost {

namespace {

// TGA has no magic bytes, so all fields of the header must be plausible.
bool looks_like_tga(Bytes start) {
  if (start.size() < 18) return false;
  const int map_kind = byte_at(start, 1);
  const int image_kind = byte_at(start, 2) & ~8;  // 8: run lengths
  const int map_bits = byte_at(start, 7);
  const int texel_bits = byte_at(start, 16);
  const auto is_one_of = [](int value, std::initializer_list<int> choices) {
    return std::ranges::find(choices, value) != choices.end();
  };
  if (byte_at(start, 2) > 11 || !is_one_of(image_kind, {1, 2, 3})) return false;
  if (map_kind > 1 || (image_kind == 1 && map_kind == 0)) return false;
  if (map_kind == 1 && !is_one_of(map_bits, {8, 15, 16, 24, 32})) return false;
  if (little_at<uint16_t>(start, 12) == 0 || little_at<uint16_t>(start, 14) == 0) return false;
  return is_one_of(texel_bits, image_kind == 1   ? std::initializer_list<int>{8, 16}
                               : image_kind == 2 ? std::initializer_list<int>{15, 16, 24, 32}
                                                 : std::initializer_list<int>{8, 16});
}

// Adapts a writer of one image per file to the table.
template <Encoded (*encode)(const Source&, const EncodeOptions&)>
Encoded one_picture(const Format&, std::span<const Source> sources, Arrangement, const EncodeOptions& options) {
  return encode(sources.front(), options);
}

const auto& formats() {
  static const std::array rows = {
      Format{.name = "exr",
             .extensions = {"exr"},
             .description = "OpenEXR, scan lines or tiles, every compression",
             .matches = [](Bytes start) { return starts_with(start, "\x76\x2f\x31\x01"); },
             .read = read_exr,
             .write = one_picture<encode_exr>,
             .check = check_exr,
             .written_depths = {Depth::half, Depth::f32},
             .compressions = {Compression::none, Compression::rle, Compression::zips, Compression::zip,
                              Compression::piz, Compression::pxr24, Compression::b44, Compression::b44a,
                              Compression::dwaa, Compression::dwab},
             .levels = FileLevels::one_or_all,
             .holds_everything = true,
             .holds_primaries = true},
      Format{.name = "png",
             .extensions = {"png"},
             .description = "PNG, 1 to 16 bit, gray, color or palette, with or without alpha",
             .matches = [](Bytes start) { return starts_with(start, "\x89PNG\r\n\x1a\n"); },
             .read = read_png,
             .write = one_picture<encode_png>,
             .check = check_png,
             .written_depths = {Depth::u8, Depth::u16},
             .holds_primaries = true},
      Format{.name = "jpg",
             .extensions = {"jpg", "jpeg", "jpe"},
             .description = "JPEG, 8 bit, gray, color or CMYK",
             .matches = [](Bytes start) { return starts_with(start, "\xff\xd8\xff"); },
             .read = read_jpeg,
             .write = one_picture<encode_jpeg>,
             .check = check_jpeg,
             .written_depths = {Depth::u8},
             .holds_primaries = true},
      Format{.name = "ktx2",
             .extensions = {"ktx2"},
             .description = "Khronos texture, also BC1 to BC7; array layers and faces by --part",
             .matches = [](Bytes start) { return starts_with(start, "\xabKTX 20\xbb\r\n\x1a\n"); },
             .read = read_ktx2,
             .write = encode_texture,
             .check = check_color,
             .written_depths = {Depth::u8, Depth::u16, Depth::half, Depth::f32},
             .compressions = {Compression::none, Compression::bc1, Compression::bc3, Compression::bc4, Compression::bc5,
                              Compression::bc6h, Compression::bc7},
             .levels = FileLevels::any,
             .holds_arrangements = true},
      Format{.name = "dds",
             .extensions = {"dds"},
             .description = "DirectDraw surface, also BC1 to BC7; array layers and faces by --part",
             .matches = [](Bytes start) { return starts_with(start, "DDS \x7c"); },
             .read = read_dds,
             .write = encode_texture,
             .check = check_color,
             .written_depths = {Depth::u8, Depth::u16, Depth::half, Depth::f32},
             .compressions = {Compression::none, Compression::bc1, Compression::bc3, Compression::bc4, Compression::bc5,
                              Compression::bc6h, Compression::bc7},
             .levels = FileLevels::any,
             .holds_arrangements = true},
      Format{.name = "tiff",
             .extensions = {"tif", "tiff"},
             .description = "TIFF, 1 to 16 bit, half or float; strips or tiles; pages by --part",
             .matches =
                 [](Bytes start) {
                   return starts_with(start, std::string_view("II*\0", 4)) ||
                          starts_with(start, std::string_view("MM\0*", 4)) ||
                          starts_with(start, std::string_view("II+\0", 4)) ||
                          starts_with(start, std::string_view("MM\0+", 4));
                 },
#if GPUPOST_HAS_TIFF
             .read = read_tiff,
             .write = one_picture<encode_tiff>,
             .check = check_tiff,
             .written_depths = {Depth::u8, Depth::u16, Depth::half, Depth::f32},
             .compressions = {Compression::none, Compression::lzw, Compression::zip, Compression::zstd},
             .holds_primaries = true
#endif
      },
      Format{.name = "webp",
             .extensions = {"webp"},
             .description = "WebP, 8 bit, still images",
             .matches =
                 [](Bytes start) {
                   return starts_with(start, "RIFF") && start.size() >= 12 && text_of(start.subspan(8, 4)) == "WEBP";
                 },
#if GPUPOST_HAS_WEBP
             .read = read_webp
#endif
      },
      Format{.name = "bmp",
             .extensions = {"bmp", "dib"},
             .description = "Windows bitmap, uncompressed",
             .matches =
                 [](Bytes start) {
                   return starts_with(start, "BM") && start.size() >= 18 && little_at<uint32_t>(start, 14) <= 124;
                 },
             .read = read_bmp},
      Format{.name = "hdr",
             .extensions = {"hdr", "pic"},
             .description = "Radiance RGBE, flat or run lengths",
             .matches =
                 [](Bytes start) {
                   return starts_with(start, "#?RADIANCE\n") || starts_with(start, "#?RGBE\n") ||
                          starts_with(start, "#?RADIANCE\r\n") || starts_with(start, "#?RGBE\r\n");
                 },
             .read = read_hdr,
             .write = one_picture<encode_hdr>,
             .check = check_hdr,
             .written_depths = {Depth::f32},
             .holds_primaries = true},
      Format{.name = "tga",  // detected only by plausible fields, so it is checked last
             .extensions = {"tga"},
             .description = "Truevision TGA, plain or run lengths",
             .matches = looks_like_tga,
             .read = read_tga,
             .write = one_picture<encode_tga>,
             .check = check_tga,
             .written_depths = {Depth::u8}},
  };
  return rows;
}

}  // namespace

std::span<const Format> all_formats() { return formats(); }

std::vector<std::string_view> writable_formats() {
  std::vector<std::string_view> names;
  for (const Format& row : formats())
    if (row.can_write()) names.insert(names.end(), row.extensions.begin(), row.extensions.end());
  return names;
}

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
  const std::string extension = lower_case(path.substr(dot + 1));
  for (const Format& row : formats())
    if (std::ranges::find(row.extensions, extension) != row.extensions.end()) return &row;
  return nullptr;
}

Compression natural_compression(const Format& format, const Picture& picture) {
  if (picture.format == format.name)
    for (const Compression compression : format.compressions)
      if (!block_depth_of(compression) && compression_names[size_t(compression)] == picture.compression)
        return compression;
  return Compression::zip;
}

const Format* format_of_bytes(Bytes start) {
  const auto row = std::ranges::find_if(formats(), [&](const Format& format) { return format.matches(start); });
  return row == formats().end() ? nullptr : &*row;
}

const Format& readable_format(Bytes start) {
  const Format* format = format_of_bytes(start);
  if (!format) {
    std::string names;
    for (const Format& row : all_formats())
      if (row.can_read()) names += (names.empty() ? "" : ", ") + std::string(row.name);
    fail(Exit::input, "is not an image of a known format ({})", names);
  }
  if (!format->can_read())
    fail(Exit::input, "is a {} file; this build was made without the library for them", format->name);
  return *format;
}

}  // namespace gpupost
