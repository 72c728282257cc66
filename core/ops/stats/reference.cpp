#include "core/ops/stats/reference.h"

#include "core/base/threads.h"

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

static ChannelStats spread_of(std::span<const double> numbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ChannelStats spread{.least = infinity, .largest = -infinity};
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
  double squares = 0;
  for (const double number : numbers)
    if (std::isfinite(number)) squares += (number - spread.mean) * (number - spread.mean);
  if (count > 0) spread.deviation = std::sqrt(squares / count);
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
    const double counted = std::max(luminance, 0x1p-126);  // a denormal float counts as the least normal one
    ++made.histogram.bins[size_t(Histogram::bin_of(counted))];
    logarithms += std::log2(counted);
  }
  if (made.positive_count() > 0) made.log_average = std::exp2(logarithms / made.positive_count());
  return made;
}

LogAverageBounds log_average_bounds(const Planes& picture, const Planes& error) {
  constexpr double least = -126, most = 128;  // logarithms of the least normal float, and of what is above all floats
  const auto logarithm = [](double luminance) { return std::log2(std::max(luminance, 0x1p-126)); };
  const std::vector<double> luminances = luminances_of(picture);
  double count = 0, sum = 0;
  std::vector<double> uncertain;  // upper logarithms of uncertain luminances
  for (size_t index = 0; index < luminances.size(); ++index) {
    const double luminance = luminances[index];
    double off = 0;
    for (size_t component = 0; component < 3; ++component)
      off += luminance_weights[component] * error[component].values[index];
    if (!std::isfinite(luminance) || luminance + off <= 0) continue;
    if (!(luminance - off > 0)) {
      uncertain.push_back(std::isfinite(off) ? logarithm(luminance + off) : most);
      continue;
    }
    ++count;
    sum += logarithm(luminance);
  }
  std::ranges::sort(uncertain, std::greater());
  const auto uncertain_count = double(uncertain.size());
  if (count + uncertain_count == 0) return {};
  const double lowest = (sum + least * uncertain_count) / (count + uncertain_count);
  double highest = count > 0 ? sum / count : least;
  for (const double more : uncertain) {
    if (more <= highest) break;
    sum += more;
    highest = sum / ++count;
  }
  return {.low = std::exp2(lowest), .high = std::exp2(highest)};
}

void add_error_of_average(Planes& tolerance, const LogAverageBounds& bounds,
                          const std::function<Planes(double log_average)>& made_with) {
  if (!(bounds.low > 0) || bounds.low == bounds.high) return;
  const Planes low = made_with(bounds.low), high = made_with(bounds.high);
  for (size_t c = 0; c < 3; ++c)
    for (size_t index = 0; index < low[c].values.size(); ++index)
      if (const double moved = std::abs(high[c].values[index] - low[c].values[index]); std::isfinite(moved))
        tolerance[c].values[index] += moved;
}

// --- what the device has left ---------------------------------------------------------------------------------------

static double number_at(std::span<const uint32_t> words, size_t at) { return double(std::bit_cast<float>(words[at])); }

namespace {

// What a part of the picture has come to. Are there numbers in it that are not finite?
struct Part {
  double sum = 0;
  float least = std::numeric_limits<float>::infinity(), largest = -least;
  uint32_t bits_of_counts = 0;
};

Part part_at(std::span<const uint32_t> words, size_t index) {
  const uint32_t* part = &words[extremes_part_size * index];
  return {.sum = double(std::bit_cast<float>(part[0])),
          .least = std::bit_cast<float>(part[1]),
          .largest = std::bit_cast<float>(part[2]),
          .bits_of_counts = part[3]};
}

Part joined(const Part& a, const Part& b) {
  return {.sum = a.sum + b.sum,
          .least = std::min(a.least, b.least),
          .largest = std::max(a.largest, b.largest),
          .bits_of_counts = a.bits_of_counts | b.bits_of_counts};
}

}  // namespace

// Always in the same order, four parts at a time: a sum that waits for the one before it takes thrice as long.
static ChannelStats extremes_of(std::span<const uint32_t> words, size_t texel_count) {
  const size_t part_count = words.size() / extremes_part_size;
  const auto part = [&](size_t index) { return part_at(words, index); };
  Part whole;
  size_t index = 0;
  for (; index + 4 <= part_count; index += 4)
    whole = joined(whole, joined(joined(part(index), part(index + 1)), joined(part(index + 2), part(index + 3))));
  for (; index < part_count; ++index) whole = joined(whole, part(index));

  ChannelStats made{.mean = extremes_sum_scale * whole.sum, .least = whole.least, .largest = whole.largest};
  if (whole.bits_of_counts != 0)  // seldom
    for (size_t at = 3; at < words.size(); at += extremes_part_size) {
      made.nan_count += words[at] & 0xffff;
      made.infinite_count += words[at] >> 16;
    }
  const uint32_t count = made.finite_count(texel_count);
  if (count == 0) made.mean = made.least = made.largest = 0;
  else made.mean = std::clamp(made.mean / count, made.least, made.largest);
  return made;
}

static ChannelStats spread_at(std::span<const uint32_t> words, size_t index) {
  const auto counts = words.subspan(counts_at + 4 * index, 4);
  return {.mean = number_at(words, 3 * index),
          .least = number_at(words, 3 * index + 1),
          .largest = number_at(words, 3 * index + 2),
          .deviation = number_at(words, deviations_at + 2 * index),
          .mean_offset = number_at(words, deviations_at + 2 * index + 1),
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
