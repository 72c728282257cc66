#include "core/ops/stats/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpupost {

double NumberCheck::share() const {
  if (found >= low && found <= high && low == high) return 0;
  const double middle = (low + high) / 2;
  return found == middle ? 0 : std::abs(found - middle) / ((high - low) / 2);
}

std::string describe(const NumberCheck& check) {
  return fmt::format("{} is {:.9g}, {} {:.9g}..{:.9g}", check.name, check.found,
                     check.share() > 1 ? "outside the allowed" : "within the allowed", check.low, check.high);
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest = 0x1p-126;  // devices may flush what is below to zero

// What is certain of a sum of numbers, each known within bounds.
struct Bounds {
  double low = 0, high = 0;
};

// Between which counts a count lies.
struct CountBounds {
  uint32_t low = 0, high = 0;
  void add(bool is_certain, bool is_possible) {
    low += is_certain;
    high += is_possible;
  }
};

// What a spread may be, its numbers being known within bounds.
class ChannelStatsBounds {
 public:
  void add(double value, double magnitude, double error) {
    if (std::isnan(value)) ++nan_count_;
    else if (std::isinf(value)) ++infinite_count_;
    else add_finite(value, magnitude, error);
  }

  void check(const std::string& name, const ChannelStats& found, Measure measure,
             std::vector<NumberCheck>& checks) const {
    const auto number = [&](const char* what, double value, Bounds bounds) {
      if (count_ == 0) bounds = {};
      checks.push_back({name + " " + what, value, bounds.low, bounds.high});
    };
    const double mean = sum_ / count_, slack = (0x1p-20 * magnitudes_ + errors_) / count_ + 0x1p-120;
    number("mean", found.mean, {mean - slack, mean + slack});
    number("minimum", found.least, least_);
    number("maximum", found.largest, largest_);
    const auto count = [&](const char* what, uint32_t value, CountBounds bounds) {
      checks.push_back({name + " " + what, double(value), double(bounds.low), double(bounds.high)});
    };
    count("not-a-numbers", found.nan_count, {nan_count_, nan_count_});
    count("infinities", found.infinite_count, {infinite_count_, infinite_count_});
    if (measure == Measure::extremes) return;
    number("deviation", found.deviation, deviation());
    count("negatives", found.negative_count, negatives_);
    count("zeros", found.zero_count, zeros_);
  }

 private:
  // Numbers that are off move a deviation by at most the root of the mean of their squared errors. Means may be off as check()
  // allows, which a device takes out of the squares.
  Bounds deviation() const {
    const double right = std::sqrt(squares_ / count_);
    const double slack =
        0x1p-18 * right + std::sqrt(squared_errors_ / count_) + 0x1p-29 * magnitudes_ / count_ + 0x1p-120;
    return {right - slack, right + slack};
  }

  void add_finite(double value, double magnitude, double error) {
    ++count_;
    sum_ += value;
    magnitudes_ += magnitude;
    errors_ += error;
    const double from_mean = value - mean_;
    mean_ += from_mean / count_;
    squares_ += from_mean * (value - mean_);  // B. P. Welford, 1962
    squared_errors_ += error * error;
    least_ = {std::min(least_.low, value - error), std::min(least_.high, value + error)};
    largest_ = {std::max(largest_.low, value - error), std::max(largest_.high, value + error)};
    const bool is_zero = value == 0 && error == 0, may_be_zero = std::abs(value) <= error;
    negatives_.add(value < -error, value < error && !is_zero);
    zeros_.add(is_zero, may_be_zero);
  }

  double count_ = 0, sum_ = 0, magnitudes_ = 0, errors_ = 0;
  double mean_ = 0, squares_ = 0, squared_errors_ = 0;
  Bounds least_{infinity, infinity}, largest_{-infinity, -infinity};
  uint32_t nan_count_ = 0, infinite_count_ = 0;
  CountBounds negatives_, zeros_;
};

// The histogram and the log average.
class LogarithmBounds {
 public:
  void add(double value, double error) {
    if (!std::isfinite(value) || value < -error) return;
    if (value <= error && error == 0) return;
    if (value <= error) return add_possible(error);
    // as exact as Vulkan asks of log2(): 3 units in the last place
    const double logarithm = std::log2(value), slack = 0x1p-19 * std::max(1.0, std::abs(logarithm));
    const int low = Histogram::bin_of(std::exp2(std::log2(value - error) - slack));
    const int high = Histogram::bin_of(std::exp2(std::log2(value + error) + slack));
    for (int bin = low; bin <= high; ++bin) bins_[size_t(bin)].add(low == high, true);
    ++count_;
    sum_ += logarithm;
    slack_ += slack + error / (value - error) / std::log(2);
  }

  void check(const Statistics& found, std::vector<NumberCheck>& checks) const {
    for (size_t bin = 0; bin < bins_.size(); ++bin)
      checks.push_back({fmt::format("the number of luminances from {:.4g} to {:.4g}", Histogram::edge(double(bin)),
                                    Histogram::edge(double(bin + 1))),
                        double(found.histogram.bins[bin]), double(bins_[bin].low), double(bins_[bin].high)});
    if (is_open_) return;  // of a number that may be 0 or next to it the logarithm is anything
    const double mean = sum_ / count_, slack = slack_ / count_;
    const Bounds bounds = count_ > 0 ? Bounds{std::exp2(mean - slack), std::exp2(mean + slack)} : Bounds{};
    checks.push_back({"log average", found.log_average, bounds.low, bounds.high});
  }

 private:
  // It may be any number up to `most`, or not above 0.
  void add_possible(double most) {
    is_open_ = true;
    for (int bin = 0; bin <= Histogram::bin_of(2 * most); ++bin) bins_[size_t(bin)].add(false, true);
  }

  std::array<CountBounds, Histogram::bin_count> bins_;
  double count_ = 0, sum_ = 0, slack_ = 0;
  bool is_open_ = false;
};

// A texel's luminance as the definition has it, the absolute values of what it is made of, and what it may be off by.
struct Luminance {
  double value = 0, magnitude = 0, error = 0;
};

Luminance luminance_at(const Planes& picture, const Planes& error, size_t index) {
  Luminance made;
  bool is_infinite = false;
  for (size_t component = 0; component < 3; ++component) {
    const double number = picture[component].values[index], weight = luminance_weights[component];
    is_infinite |= std::isinf(number);
    made.value += weight * (std::isinf(number) ? 1 : number);
    made.magnitude += weight * std::abs(number);
    made.error += weight * error[component].values[index];
  }
  if (is_infinite && !std::isnan(made.value)) made.value = infinity;
  if (made.magnitude > 0) made.error += 0x1p-21 * made.magnitude + 2 * smallest;
  return made;
}

}  // namespace

std::vector<NumberCheck> check_statistics(const Statistics& found, const Planes& picture, const Planes& error,
                                          Measure measure) {
  ChannelStatsBounds luminance;
  LogarithmBounds logarithms;
  std::array<ChannelStatsBounds, 4> components;
  for (size_t index = 0; index < texel_count(size_of(picture)); ++index) {
    const Luminance here = luminance_at(picture, error, index);
    luminance.add(here.value, here.magnitude, here.error);
    if (measure == Measure::extremes) continue;
    logarithms.add(here.value, here.error);
    for (size_t component = 0; component < 4; ++component) {
      const double number = picture[component].values[index];
      const double flushed = number != 0 && std::abs(number) < smallest ? smallest : 0;
      components[component].add(number, std::abs(number), error[component].values[index] + flushed);
    }
  }
  std::vector<NumberCheck> checks;
  luminance.check("luminance", found.luminance, measure, checks);
  if (measure == Measure::extremes) return checks;
  logarithms.check(found, checks);
  for (size_t component = 0; component < 4; ++component)
    components[component].check(std::string(1, "RGBA"[component]), found.components[component], measure, checks);
  return checks;
}

const NumberCheck& worst_of(const std::vector<NumberCheck>& checks) {
  return *std::ranges::max_element(checks, {}, &NumberCheck::share);
}

}  // namespace gpupost
