#include "core/codec/texture/texture.h"

#include "core/codec/common/packed_pixels.h"
#include "core/codec/common/writer.h"

#include <algorithm>
#include <array>
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

TexelFormat texel_of(const Format& format, const Group& color, const EncodeOptions& options,
                     std::vector<std::string>& warnings) {
  const Transfer transfer = is_float(options.depth) ? Transfer::linear : options.transfer;
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
  return {.texel = texel_of(format, color, options, warnings),
          .size = color.levels[size_t(options.level)].size,
          .level_count = options.mipmapped ? int(color.levels.size()) : 1,
          .arrangement = arrangement,
          .image_count = int(sources.size()),
          .has_alpha = color.has_alpha(),
          .is_premultiplied = color.has_alpha() && !color.is_data && is_float(options.depth),
          .is_data = color.is_data,
          .has_primaries = options.is_tagged};
}

// Components that the file holds.
std::vector<size_t> components_of(const Texture& texture) {
  std::vector<size_t> components(texture.texel.component_count);
  std::iota(components.begin(), components.end(), size_t(0));
  return components;
}

}  // namespace

Encoded encode_texture(const Format& format, std::span<const Source> sources, Arrangement arrangement,
                       const EncodeOptions& options) {
  for (const Source& source : sources) check_color(*source.picture, format.name, options);
  Encoded encoded;
  const Texture texture = texture_of(format, sources, arrangement, options, encoded.warnings);
  const TextureLayout layout = format.name == "dds" ? dds_layout(texture) : ktx2_layout(texture);
  encoded.bytes = TexelBuffer(layout.file_bytes);
  std::ranges::copy(layout.header, encoded.bytes.data());
  Losses losses;
  for (size_t image = 0; image < sources.size(); ++image) {
    const Source& source = sources[image];
    std::optional<Picture> working;
    if (!is_encodable(*source.picture, options)) working = working_copy(*source.picture, Depth::f32);
    const Source encodable{.picture = working ? &*working : source.picture, .base = source.base};
    for (int level = 0; level < texture.level_count; ++level) {
      const Pixels pixels = pixels_of(encodable, options.level + level, components_of(texture), options, losses);
      if (pixels.size != level_size(texture.size, level))
        fail(Exit::bug, "{}: level {} of image {} has {} x {} texels", format.name, level, image, pixels.size.width,
             pixels.size.height);
      const size_t offset = layout.offsets[image * size_t(texture.level_count) + size_t(level)];
      std::ranges::copy(pixels.numbers, encoded.bytes.data() + offset);
    }
  }
  warn_of_losses(losses, encoded.warnings);
  warn_of_drops(*sources.front().picture, format.name, encoded.warnings);
  return encoded;
}

}  // namespace gpupost
