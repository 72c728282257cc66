#include "core/codec/texture/read.h"

#include "core/base/half.h"
#include "core/base/text.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/raster.h"

#include <array>
#include <charconv>

namespace gpupost {

namespace {

constexpr std::array<std::string_view, 6> face_names{"+X", "-X", "+Y", "-Y", "+Z", "-Z"};

std::string name_of_image(const StoredTexture& texture, uint64_t image) {
  if (!texture.is_cube) return "";
  const std::string_view face = face_names[image % 6];
  return texture.image_count == 6 ? std::string(face) : fmt::format("{} {}", image / 6, face);
}

std::vector<FilePart> parts_of(const StoredTexture& texture) {
  std::vector<FilePart> parts;
  for (uint64_t image = 0; image < texture.image_count; ++image)
    parts.push_back({.name = name_of_image(texture, image), .size = texture.size});
  return parts;
}

// The image that --part names, by number or name.
uint64_t image_wanted(const StoredTexture& texture, const std::string& part) {
  if (part.empty()) return 0;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  const bool is_number = error == std::errc() && end == part.data() + part.size();
  if (is_number && number < texture.image_count) return number;
  for (uint64_t image = 0; image < texture.image_count && texture.is_cube; ++image)
    if (name_of_image(texture, image) == part) return image;
  const uint64_t count = texture.image_count;
  refuse_part(part, count,
              texture.is_cube
                  ? fmt::format(", or {} to {}", name_of_image(texture, 0), name_of_image(texture, count - 1))
                  : "");
}

void check_has_all(const StoredTexture& texture, uint64_t file_bytes) {
  for (uint64_t image = 0; image < texture.image_count; ++image)
    for (uint32_t level = 0; level < texture.level_count; ++level) {
      const uint64_t offset = texture.offset_of(image, int(level)), bytes = texture.level_bytes(int(level));
      if (offset > file_bytes || bytes > file_bytes - offset)
        fail(Exit::input, "is cut off: level {}{} needs {} bytes from byte {} on; the file has {}", level,
             texture.image_count == 1 ? "" : fmt::format(" of part {}", image), bytes, offset, file_bytes);
    }
}

// The component of a texel in memory that a stored component becomes; -1: none.
using Places = std::array<int, 4>;

Places places_of(const StoredTexture& texture) {
  if (texture.is_luminance_alpha) return {0, 3, -1, -1};
  switch (texture.texel.order) {
    case ComponentOrder::bgra: return {2, 1, 0, texture.is_opaque ? -1 : 3};
    case ComponentOrder::bgrx: return {2, 1, 0, -1};
    default: return {0, 1, 2, texture.is_opaque ? -1 : 3};
  }
}

// `one`: alpha of a texture without it.
template <class Number>
void place_texels(Bytes from, const StoredTexture& texture, bool is_gray, Number one, TexelBuffer& texels) {
  const Places places = places_of(texture);
  const size_t count = texture.texel.component_count, texel_count = texels.size() / (4 * sizeof(Number));
  auto* to = texels.as<Number>().data();
  for (size_t texel = 0; texel < texel_count; ++texel, to += 4) {
    to[3] = one;
    for (size_t c = 0; c < count; ++c)
      if (places[c] >= 0)
        std::memcpy(to + places[c], from.data() + (texel * count + c) * sizeof(Number), sizeof(Number));
    if (is_gray) to[1] = to[2] = to[0];
  }
}

void place(Bytes from, const StoredTexture& texture, bool is_gray, TexelBuffer& texels) {
  switch (texture.texel.depth) {
    case Depth::u8: return place_texels<uint8_t>(from, texture, is_gray, 0xff, texels);
    case Depth::u16: return place_texels<uint16_t>(from, texture, is_gray, 0xffff, texels);
    case Depth::half: return place_texels<uint16_t>(from, texture, is_gray, half_from_float(1), texels);
    default: return place_texels<float>(from, texture, is_gray, 1, texels);
  }
}

TexelBuffer decoded_blocks(Bytes blocks, const StoredTexture& texture, Size size) {
  const TexelFormat& texel = texture.texel;
  TexelBuffer texels(texel_count(size) * texel.texel_bytes());
  decode_blocks(texel.blocks, texel.is_signed, size, texel.component_count, blocks, {texels.data(), texels.size()});
  return texels;
}

struct LevelTexels {
  TexelBuffer own;  // empty if the texels are in the file
  Bytes texels;
};

// Decompresses and decodes a level of an image.
LevelTexels texels_of_level(Bytes file, const StoredTexture& texture, uint64_t image, int level) {
  TexelBuffer whole = texture.decompressed_level ? texture.decompressed_level(level) : TexelBuffer();
  const Bytes from = texture.decompressed_level ? whole.bytes() : file;
  const Bytes stored = part_of(from, texture.offset_of(image, level), texture.level_bytes(level));
  if (!texture.texel.has_blocks()) return {.own = std::move(whole), .texels = stored};
  TexelBuffer texels = decoded_blocks(stored, texture, level_size(texture.size, level));
  const Bytes bytes = texels.bytes();
  return {.own = std::move(texels), .texels = bytes};
}

// "bc7", "zstd" or "bc7+zstd".
std::string compression_of(const StoredTexture& texture) {
  const std::string_view blocks = block_format_names[size_t(texture.texel.blocks)],
                         whole = supercompression_names[size_t(texture.supercompression)];
  if (texture.supercompression == Supercompression::none) return std::string(blocks);
  return texture.texel.has_blocks() ? fmt::format("{}+{}", blocks, whole) : std::string(whole);
}

// Whether alpha is 255 in all texels of R, G, B and alpha of 8 bits.
bool is_all_opaque(Bytes texels) {
  for (size_t at = 3; at < texels.size(); at += 4)
    if (texels[at] != std::byte(255)) return false;
  return true;
}

// As a Raster counts: 1 and 2 are gray.
int channel_count_of(const StoredTexture& texture) {
  const size_t count = texture.texel.component_count;
  if (count == 1) return 1;
  if (texture.is_luminance_alpha) return 2;
  return count == 4 && places_of(texture)[3] >= 0 ? 4 : 3;
}

}  // namespace

void check_counts(const StoredTexture& texture, uint64_t width, uint64_t height, const Limits& limits) {
  check_claimed_size(int64_t(width), int64_t(height), limits);
  const Size size{int(width), int(height)};
  if (texture.level_count < 1 || texture.level_count > uint32_t(level_count_of(size)))
    fail(Exit::input, "claims {} levels; an image of {} x {} texels has 1 to {}", texture.level_count, width, height,
         level_count_of(size));
  if (texture.image_count < 1 || texture.image_count > most_parts)
    fail(Exit::input, "claims {} images; expected 1 to {}", texture.image_count, most_parts);
}

Decoded read_texture(Bytes file, StoredTexture texture, DecodeOptions options, const TexelAllocator& lend) {
  if (!texture.decompressed_level) check_has_all(texture, file.size());
  const uint64_t image = image_wanted(texture, options.part);
  if (uint32_t(options.level) >= texture.level_count) refuse_level(options.level, int(texture.level_count));
  const Size size = level_size(texture.size, options.level);
  check_decoded_bytes(4 * texel_count(size) * bytes_of(texture.texel.depth), options.limits);
  if (texture.decompressed_level)
    check_decoded_bytes(texture.image_count * texture.level_bytes(options.level), options.limits);
  const LevelTexels level = texels_of_level(file, texture, image, options.level);
  if (texture.texel.blocks == BlockFormat::bc1 && texture.texel.component_count == 4 && is_all_opaque(level.texels))
    texture.is_opaque = true;
  if (options.alpha == AlphaUse::premultiplied && texture.alpha == Alpha::straight)
    texture.alpha = Alpha::premultiplied_light;
  if (texture.alpha == Alpha::premultiplied_light && texture.colors.transfer == Transfer::linear)
    texture.alpha = Alpha::premultiplied;
  const int channel_count = channel_count_of(texture);
  Raster raster{.format = texture.format,
                .size = size,
                .channel_count = channel_count,
                .depth = texture.texel.depth,
                .texels = lend_texels(size, texture.texel.depth, options.limits, lend),
                .alpha = texture.alpha,
                .alpha_is_data = texture.alpha_is_data,
                .colors = std::move(texture.colors),
                .orientation = texture.orientation};
  place(level.texels, texture, channel_count <= 2, raster.texels);
  const bool names_part = !options.part.empty();
  options.level = 0;  // it is read
  Decoded decoded = decoded_of(std::move(raster), options, lend);
  Picture& picture = decoded.picture;
  picture.file_level_count = int(texture.level_count);
  picture.compression = compression_of(texture);
  if (texture.texel.component_count == 2 && !texture.is_luminance_alpha) picture.groups[0].channels[2] = {};
  decoded.parts = parts_of(texture);
  if (texture.image_count > 1 && !names_part)
    decoded.warnings.push_back(fmt::format("has {} parts; only part 0 was read{}", texture.image_count, part_hint));
  return decoded;
}

}  // namespace gpupost
