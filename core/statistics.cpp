#include "core/statistics.h"

#include "core/threads.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpupost {

// --- the histogram --------------------------------------------------------------------------------------------------

int Histogram::bin_of(double luminance) {
  return int(std::clamp(std::floor(bins_a_stop * (std::log2(luminance) - least_stop)), 0.0, bin_count - 1.0));
}

double Histogram::edge(double bin) { return std::exp2(bin / bins_a_stop + least_stop); }

uint64_t Histogram::count() const { return std::accumulate(bins.begin(), bins.end(), uint64_t(0)); }

double Histogram::percentile(double percent) const {
  const double wanted = percent / 100 * double(count());
  double below = 0;
  for (int bin = 0; bin < bin_count; ++bin) {
    const double here = bins[size_t(bin)];
    if (here > 0 && below + here >= wanted) return edge(bin + (wanted - below) / here);
    below += here;
  }
  return 0;
}

double Histogram::log_average(double low_percent, double high_percent) const {
  const auto all = double(count());
  const double low = low_percent / 100 * all, high = high_percent / 100 * all;
  double below = 0, weights = 0, sum = 0;
  for (int bin = 0; bin < bin_count; ++bin) {
    const double here = bins[size_t(bin)];
    const double weight = std::max(0.0, std::min(below + here, high) - std::max(below, low));
    weights += weight;
    sum += weight * (bin + 0.5);
    below += here;
  }
  return weights > 0 ? edge(sum / weights) : 0;
}

Measure measure_of(const Call& call) { return call.choice("measure") == "all" ? Measure::all : Measure::extremes; }

uint32_t Statistics::positive_count() const {
  return luminance.finite_count(texel_count) - luminance.negative_count - luminance.zero_count;
}

// --- the definition -------------------------------------------------------------------------------------------------

static Spread spread_of(std::span<const double> numbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Spread spread{.least = infinity, .largest = -infinity};
  for (const double number : numbers) {
    spread.nan_count += std::isnan(number);
    spread.infinite_count += std::isinf(number);
    if (!std::isfinite(number)) continue;
    spread.mean += number;
    spread.least = std::min(spread.least, number);
    spread.largest = std::max(spread.largest, number);
    spread.negative_count += number < 0;
    spread.zero_count += number == 0;
  }
  const uint32_t count = spread.finite_count(numbers.size());
  if (count == 0) spread.mean = spread.least = spread.largest = 0;
  else spread.mean /= count;
  return spread;
}

// Not-a-number where one of the three is none, infinite where one is infinite.
static std::vector<double> luminances_of(const Planes& picture) {
  std::vector<double> luminances(texel_count(size_of(picture)));
  for (size_t index = 0; index < luminances.size(); ++index) {
    double sum = 0;
    bool is_infinite = false;
    for (size_t component = 0; component < 3; ++component) {
      const double number = picture[component].values[index];
      is_infinite |= std::isinf(number);
      sum += luminance_weights[component] * (std::isinf(number) ? 1 : number);
    }
    luminances[index] = is_infinite && !std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum;
  }
  return luminances;
}

Statistics statistics_of(const Planes& picture) {
  Statistics made{.texel_count = texel_count(size_of(picture))};
  parallel_ranges(spread_count, 1, [&](int begin, int end) {
    for (int index = begin; index < end; ++index)
      if (index < 4) made.components[size_t(index)] = spread_of(picture[size_t(index)].values);
  });
  const std::vector<double> luminances = luminances_of(picture);
  made.luminance = spread_of(luminances);
  double logarithms = 0;
  for (const double luminance : luminances) {
    if (!(luminance > 0) || std::isinf(luminance)) continue;
    ++made.histogram.bins[size_t(Histogram::bin_of(luminance))];
    logarithms += std::log2(luminance);
  }
  if (made.positive_count() > 0) made.log_average = std::exp2(logarithms / made.positive_count());
  return made;
}

// --- what the device has left ---------------------------------------------------------------------------------------

static double number_at(std::span<const uint32_t> words, size_t at) { return double(std::bit_cast<float>(words[at])); }

// Joins the parts, always in the same order: every fourth of them into one of four, so that no sum waits for the one
// before it.
static Spread extremes_of(std::span<const uint32_t> words, size_t texel_count) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr size_t width = 4;
  std::array<double, width> sums{};
  std::array<float, width> least, largest;
  std::array<uint32_t, width> nan_counts{}, infinite_counts{};
  least.fill(infinity);
  largest.fill(-infinity);
  const auto join = [&](size_t into, const uint32_t* part) {
    sums[into] += double(std::bit_cast<float>(part[0]));
    least[into] = std::min(least[into], std::bit_cast<float>(part[1]));
    largest[into] = std::max(largest[into], std::bit_cast<float>(part[2]));
    nan_counts[into] += part[3] & 0xffff;
    infinite_counts[into] += part[3] >> 16;
  };
  const size_t part_count = words.size() / extremes_part_size;
  size_t index = 0;
  for (; index + width <= part_count; index += width)
    for (size_t into = 0; into < width; ++into) join(into, &words[(index + into) * extremes_part_size]);
  for (size_t into = 0; index + into < part_count; ++into) join(into, &words[(index + into) * extremes_part_size]);

  Spread made{.mean = extremes_sum_scale * ((sums[0] + sums[1]) + (sums[2] + sums[3])),
              .least = std::ranges::min(least),
              .largest = std::ranges::max(largest),
              .nan_count = std::accumulate(nan_counts.begin(), nan_counts.end(), 0u),
              .infinite_count = std::accumulate(infinite_counts.begin(), infinite_counts.end(), 0u)};
  const uint32_t count = made.finite_count(texel_count);
  if (count == 0) made.mean = made.least = made.largest = 0;
  else made.mean = std::clamp(made.mean / count, made.least, made.largest);
  return made;
}

static Spread spread_at(std::span<const uint32_t> words, size_t index) {
  const auto counts = words.subspan(counts_at + 4 * index, 4);
  return {.mean = number_at(words, 3 * index),
          .least = number_at(words, 3 * index + 1),
          .largest = number_at(words, 3 * index + 2),
          .nan_count = counts[0],
          .infinite_count = counts[1],
          .negative_count = counts[2],
          .zero_count = counts[3]};
}

Statistics statistics_of(std::span<const uint32_t> words, size_t texel_count, Measure measure) {
  Statistics made{.texel_count = texel_count};
  if (measure == Measure::extremes) {
    made.luminance = extremes_of(words, texel_count);
    return made;
  }
  assert(words.size() == statistics_size);
  made.luminance = spread_at(words, 0);
  made.log_average = number_at(words, log_average_at);
  for (size_t component = 0; component < 4; ++component) made.components[component] = spread_at(words, component + 1);
  std::ranges::copy(words.subspan(histogram_at, Histogram::bin_count), made.histogram.bins.begin());
  return made;
}

}  // namespace gpupost
