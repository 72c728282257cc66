#include "core/codec/texture/texture.h"

#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/writer.h"
#include "core/image/channel_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>

namespace gpupost {
namespace {

// R for gray and R, RG for R and G, else RGBA.
size_t component_count_of(const Group& color) {
  if (color.has_alpha()) return 4;
  if (color.is_luminance) return 1;
  if (!color.channels[2].name.empty()) return 4;
  return color.channels[1].name.empty() ? 1 : 2;
}

BlockFormat blocks_of(Compression compression) {
  const auto name = std::ranges::find(block_format_names, compression_names[size_t(compression)]);
  return name == std::end(block_format_names) ? BlockFormat::none : BlockFormat(name - std::begin(block_format_names));
}

// Warns if the image has more color channels than the blocks.
void warn_of_colors(const TexelFormat& texel, const Group& color, std::vector<std::string>& warnings) {
  std::vector<std::string_view> dropped;
  for (size_t c = texel.component_count; c < 3 && !color.is_luminance; ++c)
    if (!color.channels[c].name.empty()) dropped.push_back(color.channels[c].name);
  if (!dropped.empty())
    warnings.push_back(fmt::format("{} holds only {}; dropped channels: {}", block_format_names[size_t(texel.blocks)],
                                   texel.component_count == 1 ? "one channel" : "two channels",
                                   fmt::join(dropped, " ")));
}

// Throws Error(Exit::usage) if blocks without alpha get texels with alpha below 1.
void check_opaque(const Texture& texture, const Pixels& rgba) {
  if (texture.texel.component_count == 4 || !rgba.has_alpha) return;
  const auto is_opaque = [&](auto one) {
    for (size_t at = 3 * sizeof one; at < rgba.numbers.size(); at += 4 * sizeof one)
      if (std::memcmp(rgba.numbers.data() + at, &one, sizeof one) != 0) return false;
    return true;
  };
  if (texture.texel.depth == Depth::u8 ? is_opaque(uint8_t(255)) : is_opaque(uint16_t(0x3c00))) return;
  const bool has_substitute = texture.texel.blocks == BlockFormat::bc1;
  fail(Exit::usage,
       "--compression {}: it holds no alpha, and the image has alpha other than 1; {}drop alpha with `channels "
       "--list R,G,B`",
       block_format_names[size_t(texture.texel.blocks)], has_substitute ? "choose bc3 or bc7, or " : "");
}

TexelFormat texel_of(const Format& format, const Group& color, const EncodeOptions& options,
                     std::vector<std::string>& warnings) {
  const Transfer transfer = is_float(options.depth) ? Transfer::linear : options.transfer;
  if (const BlockFormat blocks = blocks_of(options.compression); blocks != BlockFormat::none) {
    const TexelFormat* texel = texel_format_of(blocks, transfer);
    if (!texel)
      fail(Exit::bug, "{}: {} has no such transfer function", format.name,
           compression_names[size_t(options.compression)]);
    warn_of_colors(*texel, color, warnings);
    return *texel;
  }
  const size_t component_count = component_count_of(color);
  const bool is_dds = format.name == "dds";
  const TexelFormat* texel = texel_format_of(options.depth, transfer, component_count);
  if (texel && (!is_dds || texel->dxgi != 0)) return *texel;
  const TexelFormat* wide = texel_format_of(options.depth, transfer, 4);
  if (!wide)
    fail(Exit::usage, "{}: integers of {} bits are always linear, not srgb; leave --transfer out", format.name,
         name_of(options.depth));
  warnings.push_back(fmt::format(
      "{} has no sRGB format for {}; R, G, B and A are written (--transfer linear writes only {})", format.name,
      component_count == 1 ? "one component" : "two components", component_count == 1 ? "one" : "two"));
  return *wide;
}

Texture texture_of(const Format& format, std::span<const Source> sources, Arrangement arrangement,
                   const EncodeOptions& options, std::vector<std::string>& warnings) {
  const Group& color = sources.front().picture->groups.front();
  const TexelFormat texel = texel_of(format, color, options, warnings);
  const bool has_alpha = color.has_alpha() && texel.component_count == 4;
  return {.texel = texel,
          .size = color.levels[size_t(options.level)].size,
          .level_count = options.mipmapped ? int(color.levels.size()) : 1,
          .arrangement = arrangement,
          .image_count = int(sources.size()),
          .has_alpha = has_alpha,
          .is_premultiplied = has_alpha && !color.is_data && is_float(options.depth) && !options.is_straight,
          .is_data = color.is_data,
          .has_primaries = options.is_tagged && !other_primaries(*sources.front().picture)};
}

// Components that the file holds. Blocks are made of all four.
std::vector<size_t> components_of(const Texture& texture) {
  std::vector<size_t> components(texture.texel.has_blocks() ? 4 : texture.texel.component_count);
  std::iota(components.begin(), components.end(), size_t(0));
  return components;
}

struct Unheld {
  size_t nan = 0, below = 0, above = 0, total = 0;

  void count(float value) {
    ++total;
    if (std::isnan(value)) ++nan;
    else if (value < 0) ++below;
    else if (value > half_max) ++above;
  }
};

float float_of(float value) { return value; }
float float_of(uint16_t half) { return float_from_half(half); }

// Counts in some texels, without channels that the image lacks.
template <class T>
Unheld unheld_in(const Group& color, std::span<const T> numbers) {
  Unheld unheld;
  for (size_t at = 0; at < numbers.size(); at += 4)
    for (size_t c = 0; c < 3; ++c)
      if (!color.channels[c].name.empty()) unheld.count(float_of(numbers[at + c]));
  return unheld;
}

// Counts the values that BC6H does not hold, each once.
void count_unheld(const Group& color, const Level& level, Losses& losses) {
  std::mutex mutex;
  const auto count_all = [&]<class T>(std::span<const T> numbers) {
    const size_t row = 4 * size_t(level.size.width);
    parallel_ranges(level.size.height, 16, [&](int begin, int end) {
      const Unheld unheld = unheld_in(color, numbers.subspan(row * size_t(begin), row * size_t(end - begin)));
      const std::lock_guard lock(mutex);
      losses.clipped.nan += unheld.nan;
      losses.clipped.below += unheld.below;
      losses.clipped.total += unheld.total;
      losses.clamped_count += unheld.above;
    });
  };
  if (color.depth == Depth::half) count_all(level.texels.as<uint16_t>());
  if (color.depth == Depth::f32) count_all(level.texels.as<float>());
}

void put_level(const Texture& texture, const Pixels& pixels, const EncodeOptions& options, std::span<std::byte> to) {
  if (!texture.texel.has_blocks()) {
    std::ranges::copy(pixels.numbers, to.data());
    return;
  }
  check_opaque(texture, pixels);
  const BlockFormat format = texture.texel.blocks;
  if (options.block_encoder) options.block_encoder(format, pixels.size, pixels.numbers, to);
  else encode_blocks(format, pixels.size, pixels.numbers, to);
}

}  // namespace

Encoded encode_texture(const Format& format, std::span<const Source> sources, Arrangement arrangement,
                       const EncodeOptions& options) {
  Encoded encoded;
  const Texture texture = texture_of(format, sources, arrangement, options, encoded.warnings);
  const TextureLayout layout = format.name == "dds" ? dds_layout(texture) : ktx2_layout(texture);
  encoded.bytes = TexelBuffer(layout.file_bytes);
  std::ranges::copy(layout.header, encoded.bytes.data());
  const bool is_bc6h = texture.texel.blocks == BlockFormat::bc6h;
  Losses losses, of_halves;
  for (size_t image = 0; image < sources.size(); ++image) {
    const Source& source = sources[image];
    std::optional<Picture> working;
    if (!is_encodable(*source.picture, options)) working = working_copy(*source.picture, Depth::f32);
    const Source encodable{.picture = working ? &*working : source.picture, .base = source.base};
    for (int level = 0; level < texture.level_count; ++level) {
      const Pixels pixels =
          pixels_of(encodable, options.level + level, components_of(texture), options, is_bc6h ? of_halves : losses);
      if (pixels.size != level_size(texture.size, level))
        fail(Exit::bug, "{}: level {} of image {} has {} x {} texels", format.name, level, image, pixels.size.width,
             pixels.size.height);
      const size_t offset = layout.offsets[image * size_t(texture.level_count) + size_t(level)];
      put_level(texture, pixels, options, {encoded.bytes.data() + offset, texture.level_bytes(level)});
      const Group& color = encodable.picture->groups.front();
      if (is_bc6h) count_unheld(color, color.levels[size_t(options.level + level)], losses);
    }
  }
  if (options.supercompression != Supercompression::none)
    encoded.bytes = supercompressed_ktx2(texture, layout, encoded.bytes.bytes(), options.supercompression,
                                         options.supercompression_level);
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(*sources.front().picture, format.name, encoded.warnings);
  return encoded;
}

}  // namespace gpupost
