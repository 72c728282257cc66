#include "core/pipeline/statistics_result.h"

#include "core/image/channel_names.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpupost {

std::vector<StatisticsResult> to_be_measured(std::span<const Call> calls, const std::string& input, Size size,
                                             bool has_alpha) {
  std::vector<StatisticsResult> list;
  std::vector<std::string> before;
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    if (call.op->makes == Makes::statistics)
      list.push_back({.input = input,
                      .before = before,
                      .measure = measure_of(call),
                      .is_table = call.flag("table"),
                      .size = result_size(calls.first(index), size),
                      .has_alpha = has_alpha_behind(calls.first(index), has_alpha),
                      .is_luminance = makes_luminance(calls.first(index))});
    before.push_back(call.text());
  }
  return list;
}

// Returns whether the values are equal except for rounding of gray.
static bool is_alike(const ChannelStats& a, const ChannelStats& b) {
  const auto is_near = [](double x, double y) {
    return std::abs(x - y) <= 0x1p-16 * std::max(std::abs(x), std::abs(y));
  };
  return is_near(a.mean, b.mean) && is_near(a.least, b.least) && is_near(a.largest, b.largest);
}

// Channels to report for a gray image: Y, or R, G and B if earlier calls made color.
static std::array<std::string, 3> names_in_gray(const Group& group, const Statistics& statistics) {
  const std::string& gray = group.channels[0].name;
  const auto& [red, green, blue, alpha] = statistics.components;
  if (is_alike(red, green) && is_alike(red, blue)) return {gray, "", ""};
  const std::string layer = gray.substr(0, gray.size() - 1);
  return {layer + "R", layer + "G", layer + "B"};
}

// The largest absolute value of the finite numbers.
static double magnitude_of(const ChannelStats& channel) {
  return std::max(std::abs(channel.least), std::abs(channel.largest));
}

static bool is_zero(const ChannelStats& channel, double rounding) {
  return magnitude_of(channel) <= rounding && channel.nan_count == 0 && channel.infinite_count == 0;
}

// Channels to report for a color: those of the input, those that are no longer 0 except for rounding (as name_colors() decides),
// and alpha if it has one at this place.
static std::array<std::string, 4> names_in_color(const Group& group, const Statistics& statistics, bool has_alpha) {
  std::array<std::string, 4> names;
  std::ranges::transform(group.channels, names.begin(), &Channel::name);
  if (group.is_luminance) std::ranges::copy(names_in_gray(group, statistics), names.begin());
  double largest = 0;
  for (size_t c = 0; c < 3; ++c) largest = std::max(largest, magnitude_of(statistics.components[c]));
  for (size_t c = 0; c < 3 && !group.is_luminance; ++c)
    if (names[c].empty() && !is_zero(statistics.components[c], 0x1p-16 * largest))
      names[c] = layer_prefix(group) + "RGB"[c];
  if (!has_alpha) names[3].clear();
  else if (names[3].empty()) names[3] = layer_prefix(group) + "A";
  return names;
}

void add_group(StatisticsResult& measured, const Group& group, const Statistics& statistics) {
  if (group.is_color) measured.color = statistics;
  if (measured.measure == Measure::extremes) return;
  std::array<std::string, 4> names;
  if (group.is_color && measured.is_luminance) names = {layer_prefix(group) + "Y"};
  else if (group.is_color) names = names_in_color(group, statistics, measured.has_alpha);
  else std::ranges::transform(group.channels, names.begin(), &Channel::name);
  for (size_t component = 0; component < 4; ++component)
    if (!names[component].empty()) measured.channels.push_back({names[component], statistics.components[component]});
}

void leave_out(StatisticsResult& measured, const Group& group) {
  if (measured.measure == Measure::extremes) return;
  for (const Channel& channel : group.channels)
    if (!channel.name.empty()) measured.not_measured.push_back(channel.name);
}

}  // namespace gpupost
