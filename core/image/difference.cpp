#include "core/image/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

namespace {

double number_at(const Group& group, size_t index) {
  const TexelBuffer& texels = group.levels[0].texels;
  return group.depth == Depth::u32 ? double(texels.as<uint32_t>()[index]) : double(texels.as<float>()[index]);
}

}  // namespace

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

ChannelDifference difference_of(const Group& a, const Group& b, size_t component, const DifferenceOptions& options) {
  const Size size = a.levels[0].size;
  ChannelDifference result{.is_relative = options.is_relative, .texel_count = texel_count(size)};
  double sum = 0, square_sum = 0;
  for (size_t texel = 0; texel < result.texel_count; ++texel) {
    const double of_a = number_at(a, 4 * texel + component), of_b = number_at(b, 4 * texel + component);
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
  for (size_t at = 0; at < a.groups.size(); ++at) {
    const Group &of_a = a.groups[at], &of_b = b.groups[at];
    const Size size = of_a.levels[0].size;
    Group group{.channels = of_a.channels,
                .is_color = of_a.is_color,
                .is_data = of_a.is_data,
                .is_luminance = of_a.is_luminance};
    for (Channel& channel : group.channels) channel.depth = Depth::f32;
    if (group.is_color) group.channels[3].name.clear();
    Level& level = group.levels.emplace_back(Level{size, TexelBuffer(4 * texel_count(size) * sizeof(float))});
    for (size_t texel = 0; texel < texel_count(size); ++texel) {
      std::array<double, 4> difference{};
      for (size_t c = 0; c < 4; ++c)
        difference[c] = difference_of(number_at(of_a, 4 * texel + c), number_at(of_b, 4 * texel + c), is_relative);
      if (of_a.has_alpha())
        for (size_t c = 0; c < 3; ++c) difference[c] = std::max(difference[c], difference[3]);
      if (group.is_color) difference[3] = 1 / scale;
      for (size_t c = 0; c < 4; ++c) level.texels.as<float>()[4 * texel + c] = float(difference[c] * scale);
    }
    picture.groups.push_back(std::move(group));
  }
  return picture;
}

}  // namespace gpupost
