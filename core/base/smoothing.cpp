#include "core/base/smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpupost {

namespace {

double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : std::midpoint(numbers[half - 1], numbers[half]);
}

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / double(numbers.size());
}

template <class Join>
std::vector<double> over_windows(std::span<const double> numbers, int window, const Join& join) {
  const size_t radius = size_t(window) / 2;
  std::vector<double> result;
  for (size_t at = 0; at < numbers.size(); ++at) {
    const size_t first = at - std::min(at, radius), end = std::min(numbers.size(), at + radius + 1);
    std::vector<double> in_window;
    std::ranges::copy_if(numbers.subspan(first, end - first), std::back_inserter(in_window),
                         [](double number) { return !std::isnan(number); });
    result.push_back(in_window.empty() ? std::numeric_limits<double>::quiet_NaN() : join(in_window));
  }
  return result;
}

}  // namespace

std::vector<double> smoothed(std::span<const double> numbers, int window) {
  std::vector<double> medians = over_windows(numbers, window, median_of);
  for (size_t at = 0; at < numbers.size(); ++at)
    if (std::isnan(numbers[at])) medians[at] = numbers[at];
  return over_windows(medians, window, mean_of);
}

}  // namespace gpupost
