// Reads PNG files. Each chunk and all of the image data is checked.
#include "core/codec/common/reader.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/exif.h"
#include "core/codec/metadata/raster.h"
#include "core/codec/png/rows.h"

#include <fmt/ranges.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace gpupost {

namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);
constexpr size_t max_deflate_ratio = 1032;  // 258 bytes in two bits, RFC 1951, 3.2.5

struct Chunk {
  std::string_view type;
  size_t at = 0;
  Bytes data;
};

struct PngParts {
  PngHeader header;
  std::optional<Bytes> palette, transparency, exif, animation;
  ColorChunks color;
  std::vector<Bytes> image_data;
  DroppedMetadata dropped;
  size_t image_at = 0;                 // byte of the first IDAT
  std::vector<std::string_view> late;  // color chunks behind the image data, which are out of place
  bool has_another = false;            // another PNG follows in the file or pipe
};

PngHeader header_in(Bytes data, const Limits& limits) {
  if (data.size() != 13) fail(Exit::input, "chunk IHDR has {} bytes; it must have 13", data.size());
  check_claimed_size(big_u32_at(data, 0), big_u32_at(data, 4), limits);
  const PngHeader header = {.width = int(big_u32_at(data, 0)),
                            .height = int(big_u32_at(data, 4)),
                            .bits = byte_at(data, 8),
                            .color = byte_at(data, 9),
                            .is_interlaced = byte_at(data, 12) == 1};
  const std::string_view bits_allowed = header.color == 0   ? std::string_view("\1\2\4\10\20")
                                        : header.color == 3 ? std::string_view("\1\2\4\10")
                                                            : std::string_view("\10\20");
  if (header.color > 6 || header.color == 1 || header.color == 5 ||
      bits_allowed.find(char(header.bits)) == std::string_view::npos)
    fail(Exit::input, "is of color type {} with {} bits, which PNG does not have", header.color, header.bits);
  if (byte_at(data, 10) != 0 || byte_at(data, 11) != 0 || byte_at(data, 12) > 1)
    fail(Exit::input, "has compression {}, filter {}, interlace {}; PNG has 0, 0, and 0 or 1", byte_at(data, 10),
         byte_at(data, 11), byte_at(data, 12));
  return header;
}

Chunk chunk_at(Bytes file, size_t at) {
  if (file.size() - at < 12) fail(Exit::input, "is cut off: there is no chunk IEND in its {} bytes", file.size());
  const uint32_t bytes = big_u32_at(file, at);
  const std::string_view type = text_of(part_of(file, at + 4, 4));
  if (!std::ranges::all_of(type, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }))
    fail(Exit::input, "has no chunk at byte {}, where one must be", at);
  if (bytes > file.size() - at - 12)
    fail(Exit::input, "is cut off: chunk {} at byte {} ends at byte {}, the file has {}", type, at,
         uint64_t(at) + 12 + bytes, file.size());
  const Bytes checked = part_of(file, at + 4, size_t(bytes) + 4);
  if (libdeflate_crc32(0, checked.data(), checked.size()) != big_u32_at(file, at + 8 + bytes))
    fail(Exit::input, "chunk {} at byte {} fails its checksum", type, at);
  return {.type = type, .at = at, .data = checked.subspan(4)};
}

// PNG specification, third edition, 11.3.3 to 11.3.6.
void take_metadata(const Chunk& chunk, DroppedMetadata& dropped) {
  constexpr double inches_of_meter = 1 / 0.0254;
  if (chunk.type == "tEXt" || chunk.type == "zTXt" || chunk.type == "iTXt")
    dropped.take_png_text(chunk.type, chunk.data);
  if (chunk.type == "tIME") dropped.has_date = true;
  for (const std::string_view type : {"mDCV", "cLLI", "mDCv", "cLLi"})  // and their names in drafts
    if (chunk.type == type) dropped.has_mastering_display = true;
  if (chunk.type == "eXIf") dropped.take_exif(chunk.data);
  if (chunk.type == "pHYs" && chunk.data.size() == 9)
    dropped.take_resolution(big_u32_at(chunk.data, 0), big_u32_at(chunk.data, 4),
                            byte_at(chunk.data, 8) == 1 ? inches_of_meter : 0);
}

void take_ancillary(PngParts& parts, const Chunk& chunk) {
  const std::pair<std::string_view, std::optional<Bytes>*> kept[] = {
      {"PLTE", &parts.palette},       {"tRNS", &parts.transparency},
      {"gAMA", &parts.color.gamma},   {"cHRM", &parts.color.chromaticities},
      {"iCCP", &parts.color.profile}, {"cICP", &parts.color.code_points},
      {"sRGB", &parts.color.srgb},    {"eXIf", &parts.exif},
      {"acTL", &parts.animation}};
  for (const auto& [type, place] : kept) {
    if (chunk.type != type) continue;
    if (place->has_value()) fail(Exit::input, "has chunk {} twice, again at byte {}", type, chunk.at);
    *place = chunk.data;
    return;
  }
  const bool is_critical = (chunk.type[0] & 0x20) == 0;
  if (is_critical) fail(Exit::input, "chunk {} at byte {} is critical and unknown", chunk.type, chunk.at);
}

PngParts parts_of(Bytes file, const Limits& limits) {
  PngParts parts;
  Chunk chunk = chunk_at(file, signature.size());
  if (chunk.type == "CgBI") fail(Exit::input, "CgBI, Apple's variant of PNG, is not supported");
  if (chunk.type != "IHDR") fail(Exit::input, "starts with chunk {}; it must be IHDR", chunk.type);
  parts.header = header_in(chunk.data, limits);
  std::string_view before = chunk.type;
  while (chunk.type != "IEND") {
    chunk = chunk_at(file, chunk.at + 12 + chunk.data.size());
    if (chunk.type == "IHDR") fail(Exit::input, "has chunk IHDR twice, again at byte {}", chunk.at);
    if (chunk.type == "IDAT") {
      if (!parts.image_data.empty() && before != "IDAT")
        fail(Exit::input, "chunk IDAT at byte {} does not directly follow the other IDAT chunks", chunk.at);
      if (parts.image_data.empty()) parts.image_at = chunk.at;
      parts.image_data.push_back(chunk.data);
    } else if (chunk.type != "IEND") {
      if (chunk.type == "PLTE" && !parts.image_data.empty())
        fail(Exit::input, "chunk PLTE at byte {} comes after the image data", chunk.at);
      constexpr std::array<std::string_view, 6> before_data{"gAMA", "cHRM", "iCCP", "cICP", "sRGB", "tRNS"};
      if (!parts.image_data.empty() && std::ranges::find(before_data, chunk.type) != before_data.end())
        parts.late.push_back(chunk.type);
      else take_ancillary(parts, chunk);
      take_metadata(chunk, parts.dropped);
    }
    before = chunk.type;
  }
  if (parts.image_data.empty()) fail(Exit::input, "has no chunk IDAT, which holds the image");
  const size_t end = chunk.at + 12 + chunk.data.size();
  parts.has_another = text_of(file.subspan(end)).starts_with(signature);
  return parts;
}

void check_palette(const PngParts& parts) {
  const PngHeader& header = parts.header;
  if (header.has_palette() && !parts.palette) fail(Exit::input, "has no chunk PLTE, which its color type needs");
  const size_t palette_bytes = parts.palette ? parts.palette->size() : 0;
  if (parts.palette && (palette_bytes == 0 || palette_bytes % 3 != 0 || palette_bytes > 768))
    fail(Exit::input, "chunk PLTE has {} bytes; it must have 3 for each of 1 to 256 colors", palette_bytes);
  if (!parts.transparency || header.color >= 4) return;
  const size_t bytes = parts.transparency->size();
  const bool fits = header.has_palette() ? bytes <= palette_bytes / 3 : bytes == size_t(header.channels()) * 2;
  if (!fits) fail(Exit::input, "chunk tRNS has {} bytes, which its color type does not allow", bytes);
}

// Bytes of the filtered rows, PNG specification, 7.2 and 8.2.
size_t filtered_bytes(const PngHeader& header) {
  size_t bytes = 0;
  for (const PngPass& pass : passes_of(header))
    bytes += header.row_bytes(size_t(pass.columns(header))) * size_t(pass.rows(header));
  return bytes;
}

TexelBuffer inflated(const PngParts& parts, size_t bytes) {
  std::vector<std::byte> packed;
  Bytes data = parts.image_data[0];
  if (parts.image_data.size() > 1) {
    for (const Bytes part : parts.image_data) packed.insert(packed.end(), part.begin(), part.end());
    data = packed;
  }
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) fail(Exit::limit, "out of memory");
  TexelBuffer rows(bytes);
  switch (libdeflate_zlib_decompress(decompressor.get(), data.data(), data.size(), rows.data(), bytes, nullptr)) {
    case LIBDEFLATE_SUCCESS: return rows;
    case LIBDEFLATE_SHORT_OUTPUT: fail(Exit::input, "is cut off: its image data ends before {} bytes", bytes);
    case LIBDEFLATE_INSUFFICIENT_SPACE: fail(Exit::input, "has more image data than the {} bytes it must have", bytes);
    default: fail(Exit::input, "its image data is damaged from byte {} on", parts.image_at);
  }
}

}  // namespace

Decoded read_png(Bytes file, const DecodeOptions& options, const TexelAllocator& lend) {
  check_is_only_part(options.part, "png");
  const PngParts parts = parts_of(file, options.limits);
  check_palette(parts);
  const size_t bytes = filtered_bytes(parts.header);
  check_decoded_bytes(bytes, options.limits);
  size_t packed_bytes = 0;
  for (const Bytes part : parts.image_data) packed_bytes += part.size();
  if (bytes / max_deflate_ratio > packed_bytes)
    fail(Exit::input, "is cut off: {} bytes of image data cannot yield {}", packed_bytes, bytes);
  Raster raster{.format = "png",
                .size = {parts.header.width, parts.header.height},
                .depth = parts.header.bits == 16 ? Depth::u16 : Depth::u8,
                .colors = colors_of(parts.color),
                .dropped = parts.dropped};
  if (parts.animation) raster.colors.warnings.push_back("is animated; only its default image is read");
  if (!parts.late.empty())
    raster.colors.warnings.push_back(
        fmt::format("chunks behind the image data are ignored: {}", fmt::join(parts.late, ", ")));
  if (parts.has_another) raster.colors.warnings.push_back("is followed by another image; only the first is read");
  if (parts.exif) raster.orientation = orientation_in(*parts.exif);
  TexelBuffer filtered = inflated(parts, bytes);
  raster.texels = lend_texels(raster.size, raster.depth, options.limits, lend);
  PngRows rows(parts.header, parts.palette, parts.transparency);
  raster.channel_count = rows.channel_count();
  rows.read(filtered.as<std::byte>(), raster.texels.data());
  return decoded_of(std::move(raster), options, lend);
}

}  // namespace gpupost
