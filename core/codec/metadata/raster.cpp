#include "core/codec/metadata/raster.h"

#include "core/base/threads.h"
#include "core/codec/common/size_limits.h"
#include "core/codec/metadata/icc.h"

#include <algorithm>
#include <utility>

namespace gpupost {

namespace {

// `file_depth`: the depth before a profile was applied.
Group group_of(const Raster& raster, Depth file_depth) {
  Group group;
  group.depth = raster.depth;
  group.is_color = true;
  group.is_luminance = raster.is_gray();
  const auto name = [&](size_t component, std::string_view text) {
    group.channels[component] = {.name = std::string(text), .depth = file_depth};
  };
  if (raster.is_gray()) name(0, "Y");
  else
    for (const size_t component : {0, 1, 2}) name(component, std::string_view("RGB").substr(component, 1));
  if (raster.channel_count % 2 == 0) name(3, "A");
  group.is_data = group.has_alpha() && raster.alpha_is_data;
  return group;
}

// Value of an EXR attribute.
Attribute attribute_of(const Chromaticities& chromaticities) {
  Attribute attribute{.name = "chromaticities", .type = "chromaticities"};
  attribute.value.resize(sizeof chromaticities);
  std::memcpy(attribute.value.data(), chromaticities.data(), sizeof chromaticities);
  return attribute;
}

// Applies the orientation. TIFF 6.0, tag Orientation: sides of the scene for row 0 and column 0.
void turn_upright(Raster& raster) {
  const int orientation = std::exchange(raster.orientation, 1);
  const bool swaps_sides = orientation >= 5;
  const bool flips_x = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool flips_y = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const Size stored = raster.size;
  if (swaps_sides) std::swap(raster.size.width, raster.size.height);
  const Size size = raster.size;
  const std::vector<std::byte> from(raster.texels.bytes().begin(), raster.texels.bytes().end());
  const size_t texel_bytes = 4 * bytes_of(raster.depth);
  parallel_ranges(size.height, std::max(1, 65536 / size.width), [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      std::byte* to = raster.texels.data() + size_t(y) * size_t(size.width) * texel_bytes;
      for (int x = 0; x < size.width; ++x) {
        const int across = flips_x ? size.width - 1 - x : x, down = flips_y ? size.height - 1 - y : y;
        const int column = swaps_sides ? down : across, row = swaps_sides ? across : down;
        const size_t at = size_t(row) * size_t(stored.width) + size_t(column);
        std::memcpy(to + size_t(x) * texel_bytes, &from[at * texel_bytes], texel_bytes);
      }
    }
  });
}

}  // namespace

TexelBuffer lend_texels(Size size, Depth depth, const Limits& limits, const TexelAllocator& lend) {
  const size_t bytes = texel_count(size) * 4 * bytes_of(depth);
  check_decoded_bytes(bytes, limits);
  return lend(bytes);
}

Decoded decoded_of(Raster raster, const DecodeOptions& options, const TexelAllocator& lend) {
  const auto refuse = [&](std::string_view what, const auto& wanted) {
    fail(Exit::input, "has no {} {}; a {} file has none", what, wanted, raster.format);
  };
  if (!options.layer.empty()) refuse("layer", options.layer);
  if (options.level != 0) refuse("level", options.level);
  check_channel_count(raster.channel_count, options.limits);
  const Depth file_depth = raster.depth;
  if (options.alpha == AlphaUse::straight) raster.alpha = Alpha::straight;
  if (options.alpha == AlphaUse::premultiplied) raster.alpha = overridden(raster.alpha, Alpha::premultiplied);
  if (options.alpha != AlphaUse::as_recorded) raster.alpha_is_data = options.alpha == AlphaUse::data;
  if (!raster.colors.profile.empty() || raster.is_cmyk) apply_profile(raster, options.profile, options.limits, lend);
  if (raster.orientation != 1 && !options.keeps_orientation) turn_upright(raster);
  Decoded decoded{.warnings = std::move(raster.colors.warnings)};
  if (raster.orientation != 1)
    decoded.warnings.push_back(
        fmt::format("orientation {} is not applied (--no-orient), and outputs do not record it", raster.orientation));
  if (std::string warning = warning_of(raster.dropped); !warning.empty())
    decoded.write_warnings.push_back(std::move(warning));
  Picture& picture = decoded.picture;
  picture.format = raster.format;
  picture.data_window = picture.display_window = window_of(raster.size);
  picture.transfer = raster.colors.transfer;
  picture.exponent = raster.colors.exponent;
  picture.alpha = raster.alpha;
  picture.groups.push_back(group_of(raster, file_depth));
  picture.groups[0].levels.push_back({.size = raster.size, .texels = std::move(raster.texels)});
  if (raster.colors.chromaticities && !raster.is_gray())
    picture.attributes.push_back(attribute_of(*raster.colors.chromaticities));
  return decoded;
}

}  // namespace gpupost
