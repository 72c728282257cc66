#include "core/ops/stats/join.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace gpupost {

namespace {

// The channels in the order of the layout: luminance, then the components.
template <class Stats>
auto& channel_of(Stats& statistics, size_t index) {
  return index == 0 ? statistics.luminance : statistics.components[index - 1];
}

uint32_t word_of(double number) { return std::bit_cast<uint32_t>(float(number)); }

}  // namespace

// T. Chan, G. Golub, R. LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979.
void StatisticsJoin::add_squares(size_t index, const ChannelStats& from, double count, double count_before) {
  const double distance = from.mean + from.mean_offset - means_[index], share = count / (count_before + count);
  squares_[index] += count * from.deviation * from.deviation + distance * distance * count_before * share;
  means_[index] += distance * share;
}

void StatisticsJoin::add(std::span<const uint32_t> words, size_t texel_count) {
  if (measure_ == Measure::extremes) {  // the host joins any number of parts
    parts_.insert(parts_.end(), words.begin(), words.end());
    return;
  }
  const Statistics tile = statistics_of(words, texel_count, measure_);
  for (size_t index = 0; index < spread_count; ++index) {
    const ChannelStats& from = channel_of(tile, index);
    ChannelStats& to = channel_of(all_, index);
    const uint32_t count = from.finite_count(texel_count);
    const bool is_first = to.finite_count(all_.texel_count) == 0;
    if (count > 0) {
      to.least = is_first ? from.least : std::min(to.least, from.least);
      to.largest = is_first ? from.largest : std::max(to.largest, from.largest);
      sums_[index] += from.mean * count;
      add_squares(index, from, count, to.finite_count(all_.texel_count));
    }
    to.nan_count += from.nan_count;
    to.infinite_count += from.infinite_count;
    to.negative_count += from.negative_count;
    to.zero_count += from.zero_count;
  }
  // a device may flush the average of the smallest floats to 0
  constexpr double smallest = std::numeric_limits<float>::denorm_min();
  if (const uint32_t count = tile.positive_count(); count > 0)
    sum_of_logarithms_ += count * std::log2(std::max(tile.log_average, smallest));
  std::ranges::transform(all_.histogram.bins, tile.histogram.bins, all_.histogram.bins.begin(), std::plus<>());
  all_.texel_count += texel_count;
}

std::vector<uint32_t> StatisticsJoin::words() const {
  if (measure_ == Measure::extremes) return parts_;
  std::vector<uint32_t> words(statistics_size);
  for (size_t index = 0; index < spread_count; ++index) {
    const ChannelStats& channel = channel_of(all_, index);
    const uint32_t count = channel.finite_count(all_.texel_count);
    words[3 * index] = word_of(count > 0 ? std::clamp(sums_[index] / count, channel.least, channel.largest) : 0);
    words[3 * index + 1] = word_of(channel.least);
    words[3 * index + 2] = word_of(channel.largest);
    words[deviations_at + 2 * index] = word_of(count > 0 ? std::sqrt(squares_[index] / count) : 0);
    const std::array counts{channel.nan_count, channel.infinite_count, channel.negative_count, channel.zero_count};
    std::ranges::copy(counts, words.begin() + counts_at + ptrdiff_t(4 * index));
  }
  if (const uint32_t count = all_.positive_count(); count > 0)
    words[log_average_at] = word_of(std::exp2(sum_of_logarithms_ / count));
  std::ranges::copy(all_.histogram.bins, words.begin() + histogram_at);
  return words;
}

}  // namespace gpupost
