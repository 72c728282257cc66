#include "core/codec/common/packed_pixels.h"

#include "core/base/half.h"
#include "core/base/threads.h"
#include "core/codec/common/writer.h"
#include "core/image/attributes.h"
#include "core/image/channel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gpupost {
namespace {

// Whether the texels already have the form that the file needs.
bool is_as_wanted(const Picture& picture, const EncodeOptions& options) {
  const Group& color = picture.groups.front();
  return color.depth == options.depth && picture.transfer == options.transfer &&
         (picture.alpha == Alpha::straight || !color.has_alpha());
}

// Whether make_integers() supports it: linear, or no transfer conversion.
bool is_convertible(const Picture& picture, const EncodeOptions& options) {
  const Group& color = picture.groups.front();
  return is_float(color.depth) && (picture.transfer == Transfer::linear || picture.transfer == options.transfer);
}

TexelBuffer integers_of(const Picture& picture, const Level& level, const EncodeOptions& options, Losses& losses) {
  const Transfer way = picture.transfer == options.transfer ? Transfer::linear : options.transfer;
  TexelBuffer integers;
  const Clipped clipped =
      make_integers(picture.groups.front(), level, options.depth, way, integers, options.dither, picture.alpha);
  losses.largest = largest_light(options.transfer);
  losses.clipped.above += clipped.above;
  losses.clipped.below += clipped.below;
  losses.clipped.nan += clipped.nan;
  losses.clipped.total += clipped.total;
  // a visible texel has given its color to the others
  if (!options.colors_transparent || clipped.unseen == clipped.texel_count) losses.clipped.unseen += clipped.unseen;
  losses.clipped.texel_count += clipped.texel_count;
  return integers;
}

TexelBuffer floats_of(const Level& level, Depth depth, Losses& losses) {
  const size_t count = 4 * texel_count(level.size);
  TexelBuffer floats(count * bytes_of(depth));
  if (depth == Depth::f32) floats_from_halves(level.texels.as<uint16_t>().data(), floats.as<float>().data(), count);
  else losses.clamped_count += halves_from_floats(level.texels.as<float>().data(), floats.as<uint16_t>().data(), count);
  return floats;
}

// The value 1 in the memory format.
uint32_t bits_of_one(Depth depth) {
  return depth == Depth::f32 ? 0x3f800000 : depth == Depth::half ? 0x3c00 : depth == Depth::u16 ? 0xffff : 0xff;
}

// Copies components of RGBA texels. `fourth` replaces a missing alpha.
template <class Number>
TexelBuffer packed(Bytes texels, size_t count, std::span<const size_t> components, std::optional<uint32_t> fourth) {
  TexelBuffer made(count * components.size() * sizeof(Number));
  const auto* from = reinterpret_cast<const Number*>(texels.data());
  auto* to = made.as<Number>().data();
  parallel_ranges(int((count + 4095) / 4096), 16, [&](int begin, int end) {
    for (size_t i = size_t(begin) * 4096; i < std::min(count, size_t(end) * 4096); ++i) {
      std::array<Number, 4> texel;
      std::copy_n(from + 4 * i, 4, texel.begin());
      if (fourth) texel[3] = Number(*fourth);
      for (size_t c = 0; c < components.size(); ++c) to[i * components.size() + c] = texel[components[c]];
    }
  });
  return made;
}

TexelBuffer packed(const Pixels& pixels, std::span<const size_t> components, Depth depth) {
  const auto pack = bytes_of(depth) == 1 ? packed<uint8_t> : bytes_of(depth) == 2 ? packed<uint16_t> : packed<uint32_t>;
  const std::optional<uint32_t> fourth = pixels.has_alpha ? std::nullopt : std::optional(bits_of_one(depth));
  return pack(pixels.numbers, texel_count(pixels.size), components, fourth);
}

void warn_of_extras(const Picture& picture, std::string_view format, std::vector<std::string>& warnings) {
  std::vector<std::string> names = names_of(picture);
  names.erase(names.begin(), names.begin() + long(names_of(picture.groups.front()).size()));
  if (!names.empty())
    warnings.push_back(
        fmt::format("{} holds only color and alpha; dropped channels: {}", format, fmt::join(names, " ")));
  std::vector<std::string> attributes;
  for (const Attribute& attribute : picture.attributes)
    if (!is_default_attribute(attribute)) attributes.push_back(attribute.name);
  if (!attributes.empty())
    warnings.push_back(fmt::format("{} holds no such attributes; dropped: {}", format, fmt::join(attributes, " ")));
}

// Whether color has the type uint. Groups of uint channels are not color groups.
bool has_uint_color(const Picture& picture) {
  constexpr std::string_view color_names[] = {"R", "G", "B", "Y"};
  const auto is_color = [&](const Channel& channel) { return std::ranges::count(color_names, channel.name) > 0; };
  return std::ranges::any_of(picture.groups, [&](const Group& group) {
    return group.depth == Depth::u32 && (group.is_color || std::ranges::any_of(group.channels, is_color));
  });
}

}  // namespace

void check_color(const Format& format, const Picture& picture, const EncodeOptions& options) {
  if (has_uint_color(picture))
    fail(Exit::usage, "{} cannot hold color of type uint; expected an EXR output", format.name);
  if (picture.groups.empty() || !picture.groups.front().is_color)
    fail(Exit::usage,
         "{} needs R, G and B, or Y; the image has {}; choose channels with `channels --list`, or write EXR",
         format.name, fmt::join(names_of(picture), " "));
  const size_t level_count = picture.groups.front().levels.size();
  if (options.level < 0 || size_t(options.level) >= level_count)
    fail(Exit::usage, "{}: level {} does not exist; the image has {} levels", format.name, options.level, level_count);
}

void check_side(const Format& format, const Picture& picture, const EncodeOptions& options, int most) {
  const Size size = picture.groups.front().levels[size_t(options.level)].size;
  if (std::max(size.width, size.height) > most)
    fail(Exit::usage, "{} holds at most {} texels per side; the image has {} x {}", format.name, most, size.width,
         size.height);
}

bool is_encodable(const Picture& picture, const EncodeOptions& options) {
  if (is_float(options.depth)) return is_working(picture);
  return is_as_wanted(picture, options) || is_convertible(picture, options);
}

Pixels rgba_of(const Source& source, int level_index, const EncodeOptions& options, Losses& losses) {
  const bool is_base = level_index == 0 && source.base && is_as_wanted(source.base->picture, options);
  if (is_base && source.base->is_clamped)  // visible values that were clamped are counted where they are known
    integers_of(*source.picture, source.picture->groups.front().levels.front(), options, losses);
  const Picture& picture = is_base ? source.base->picture : *source.picture;
  const Group& color = picture.groups.front();
  const Level& level = color.levels[size_t(level_index)];
  Pixels pixels{.size = level.size, .has_alpha = color.has_alpha(), .numbers = level.texels.bytes()};
  if (is_float(options.depth) && color.depth != options.depth) pixels.own = floats_of(level, options.depth, losses);
  if (!is_float(options.depth) && !is_as_wanted(picture, options))
    pixels.own = integers_of(picture, level, options, losses);
  if (!pixels.own.empty()) pixels.numbers = pixels.own.bytes();
  return pixels;
}

Pixels pixels_of(const Source& source, int level, std::span<const size_t> components, const EncodeOptions& options,
                 Losses& losses) {
  Pixels pixels = rgba_of(source, level, options, losses);
  if (components.size() == 4 && pixels.has_alpha) return pixels;
  pixels.component_count = components.size();
  pixels.own = packed(pixels, components, options.depth);
  pixels.numbers = pixels.own.bytes();
  return pixels;
}

std::vector<size_t> components_of(const Group& color) {
  std::vector<size_t> components = color.is_luminance ? std::vector<size_t>{0} : std::vector<size_t>{0, 1, 2};
  if (color.has_alpha()) components.push_back(3);
  return components;
}

void warn_of_losses(const Losses& losses, std::vector<std::string>& warnings) {
  const Clipped& clipped = losses.clipped;
  const auto share = [&](size_t count) {
    const double percent = 100.0 * double(count) / double(clipped.total);
    return percent < 0.05 ? std::string("less than 0.1") : fmt::format("{:.1f}", percent);
  };
  if (clipped.above)
    warnings.push_back(
        fmt::format("{} % of the values are above {:.4g} and were clamped", share(clipped.above), losses.largest));
  if (clipped.below)
    warnings.push_back(fmt::format("{} % of the values are below 0 and were clamped", share(clipped.below)));
  if (clipped.nan) warnings.push_back(fmt::format("number of values that were NaN and became 0: {}", clipped.nan));
  if (clipped.unseen)
    warnings.push_back(fmt::format(
        "{} of {} texels have light but alpha 0, so viewers show them as transparent (to keep the light, drop "
        "alpha with `channels --list R,G,B`)",
        clipped.unseen, clipped.texel_count));
  if (losses.clamped_count)
    warnings.push_back(fmt::format("number of values above 65504 that were clamped: {}", losses.clamped_count));
}

void warn_of_drops(const Picture& picture, std::string_view format, std::vector<std::string>& warnings) {
  warn_of_extras(picture, format, warnings);
  const Window& data = picture.data_window;
  const Window& display = picture.display_window;
  if (display.max_x >= display.min_x && data != display)
    warnings.push_back(fmt::format("{} holds no windows; the offset {},{} of the data window is dropped", format,
                                   int64_t(data.min_x) - display.min_x, int64_t(data.min_y) - display.min_y));
}

std::vector<std::string> drop_extras(Picture& picture, const Format& format) {
  std::vector<std::string> warnings;
  if (format.holds_everything || !picture.groups.front().is_color) return warnings;
  warn_of_extras(picture, format.name, warnings);
  picture.groups.erase(picture.groups.begin() + 1, picture.groups.end());
  std::erase_if(picture.attributes, [&](const Attribute& attribute) {
    return !format.holds_primaries || attribute.name != "chromaticities";
  });
  return warnings;
}

}  // namespace gpupost
