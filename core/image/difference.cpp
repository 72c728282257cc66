#include "core/image/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

double difference_of(double a, double b, bool is_relative) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::abs(a - b);
  if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
  return is_relative ? difference / std::max(std::abs(a), std::abs(b)) : difference;
}

std::optional<double> ChannelDifference::psnr() const {
  if (is_relative) return std::nullopt;
  return 20 * std::log10(peak / root_mean_square);
}

ChannelDifference difference_of(const ChannelPlace& a, const ChannelPlace& b, const DifferenceOptions& options) {
  const Size size = a.group->levels[0].size;
  ChannelDifference result{.is_relative = options.is_relative, .texel_count = texel_count(size)};
  double sum = 0, square_sum = 0;
  for (size_t texel = 0; texel < result.texel_count; ++texel) {
    const double of_a = number_at(a, texel), of_b = number_at(b, texel);
    if (std::isfinite(of_a)) result.peak = std::max(result.peak, std::abs(of_a));
    const double difference = difference_of(of_a, of_b, options.is_relative);
    sum += difference;
    square_sum += difference * difference;
    if (difference > options.tolerance) ++result.over_count;
    if (difference <= result.maximum) continue;
    result.maximum = difference;
    result.worst = {int(texel % size_t(size.width)), int(texel / size_t(size.width))};
  }
  result.mean = sum / double(result.texel_count);
  result.root_mean_square = std::sqrt(square_sum / double(result.texel_count));
  return result;
}

Picture picture_of_difference(const Picture& a, const Picture& b, bool is_relative, double scale) {
  Picture picture{.format = a.format, .data_window = a.data_window, .display_window = a.display_window};
  for (const Group& of_a : a.groups) {
    const Size size = of_a.levels[0].size;
    Group group{.channels = of_a.channels,
                .is_color = of_a.is_color,
                .is_data = of_a.is_data,
                .is_luminance = of_a.is_luminance};
    for (Channel& channel : group.channels) channel.depth = Depth::f32;
    if (group.is_color) group.channels[3].name.clear();
    Level& level = group.levels.emplace_back(Level{size, TexelBuffer(4 * texel_count(size) * sizeof(float))});
    const auto numbers = level.texels.as<float>();
    for (size_t c = 0; c < 4; ++c) {
      if (of_a.channels[c].name.empty()) continue;
      const ChannelPlace from{&of_a, c}, to = channel_named(b, of_a.channels[c].name);
      const bool are_alike = from.is_uint() == to.is_uint();
      for (size_t texel = 0; texel < texel_count(size); ++texel)
        numbers[4 * texel + c] =
            are_alike ? float(scale * difference_of(number_at(from, texel), number_at(to, texel), is_relative))
                      : std::numeric_limits<float>::infinity();
    }
    for (size_t texel = 0; texel < texel_count(size); ++texel) {
      float* const color = &numbers[4 * texel];
      if (of_a.is_luminance) color[1] = color[2] = color[0];
      if (of_a.has_alpha())
        for (size_t c = 0; c < 3; ++c) color[c] = std::max(color[c], color[3]);
      if (of_a.is_color) color[3] = 1;
    }
    picture.groups.push_back(std::move(group));
  }
  return picture;
}

}  // namespace gpupost
