// Smoothing of exposures over a sequence.
#include "core/base/error.h"
#include "core/base/smoothing.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/ops/small/exposure.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace gpupost;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

std::vector<double> ramp(int count, double slope) {
  std::vector<double> numbers;
  for (int at = 0; at < count; ++at) numbers.push_back(slope * at);
  return numbers;
}

}  // namespace

TEST_CASE("a flash of 3 stops in any frame moves no frame by 0.2 stops at a window of 9") {
  for (const double slope : {0.0, 0.01})
    for (size_t flash = 0; flash < 11; ++flash) {
      CAPTURE(flash);
      const std::vector<double> calm = ramp(11, slope);
      std::vector<double> flashed = calm;
      flashed[flash] += 3;
      const std::vector<double> before = smoothed(calm, 9), after = smoothed(flashed, 9);
      for (size_t at = 0; at < calm.size(); ++at) CHECK(std::abs(after[at] - before[at]) < 0.2);
    }
}

TEST_CASE("a constant stays, one frame stays, a window of 1 changes nothing, and no frame is no frame") {
  for (const int window : {1, 3, 9, 999}) {
    CHECK(are_equal(smoothed(std::vector(11, 1.5), window), std::vector(11, 1.5)));
    CHECK(are_equal(smoothed(std::vector{-7.25}, window), {-7.25}));
    CHECK(smoothed({}, window).empty());
  }
  const std::vector<double> numbers{3, -1, none, 8, 0.5};
  CHECK(are_equal(smoothed(numbers, 1), numbers));
}

TEST_CASE("a ramp stays in its middle, and within half a window's slope at its ends") {
  for (const int window : {3, 9, 21})
    for (const int count : {2, 5, 40}) {
      const std::vector<double> numbers = ramp(count, 0.5), result = smoothed(numbers, window);
      for (int at = 0; at < count; ++at) {
        const double off = std::abs(result[size_t(at)] - numbers[size_t(at)]);
        CHECK(off <= 0.5 * (window / 2));
        if (std::min(at, count - 1 - at) >= window - 1) CHECK(off <= 1e-12);
      }
    }
}

TEST_CASE("the median comes before the mean, and windows are shortened at the ends") {
  // medians of 3: 0.5 (of 0 and 1), 1, 2, 3, 6 (of 3 and 9)
  CHECK(are_equal(smoothed(std::vector<double>{0, 1, 2, 9, 3}, 3),
                  {(0.5 + 1) / 2, (0.5 + 1 + 2) / 3, (1.0 + 2 + 3) / 3, (2.0 + 3 + 6) / 3, (3.0 + 6) / 2}));
  const std::vector<double> numbers{4, 1, 7, 7, -2, 0, 3}, result = smoothed(numbers, 5);
  std::vector<double> backwards(numbers.rbegin(), numbers.rend());
  backwards = smoothed(backwards, 5);
  for (size_t at = 0; at < numbers.size(); ++at)
    CHECK(result[at] == doctest::Approx(backwards[numbers.size() - 1 - at]));
}

TEST_CASE("black frames count in no window, and get the exposure of their neighbors") {
  CHECK(are_equal(smoothed(std::vector{2.0, none, 2.0}, 3), {2, 2, 2}));
  CHECK(are_equal(smoothed(std::vector{none, none, none}, 3), {none, none, none}));
  CHECK(std::isnan(smoothed(std::vector{none, none, none, none, 1.0}, 3)[0]));
  // medians of 3: 3, 2, 5, 3, 5.5
  CHECK(are_equal(smoothed(std::vector{1.0, 5.0, 2.0, 8.0, 3.0, none}, 3),
                  {2.5, 10.0 / 3, 10.0 / 3, 13.5 / 3, 4.25, 5.5}));
  CHECK(are_equal(smoothed(std::vector{1.0, 5.0, none, 8.0, 3.0}, 3), {3, 3, 4.25, 5.5, 5.5}));
}

TEST_CASE("black frames at both ends change no other frame") {
  const std::vector<double> numbers{0.8, -2, 1.8, -2.3, 3.2, 0};
  for (const int window : {3, 5, 9}) {
    std::vector<double> longer = numbers;
    longer.insert(longer.begin(), 3, none);
    longer.insert(longer.end(), 2, none);
    const std::vector<double> result = smoothed(longer, window);
    CHECK(are_equal({result.begin() + 3, result.end() - 2}, smoothed(numbers, window)));
  }
}

TEST_CASE("exposure refuses even windows, options without effect, and two exposures") {
  const Op& op = *op_named("exposure");
  for (const std::string words :
       {"--auto --smooth 8", "--stops 1 --smooth 9", "--auto --smooth 0", "--auto --smooth 1001",
        "--auto --auto-from a.json", "--stops 1 --auto-from a.json", "--stops 1 --key 1", ""}) {
    CAPTURE(words);
    CHECK_THROWS_AS(parse_call(op, words), Error);
  }
  CHECK(needs_series(parse_call(op, "--auto --smooth 9")));
  CHECK(needs_series(parse_call(op, "--auto-from a.json --key 1 --percentile 1,2")));
  CHECK(!needs_series(parse_call(op, "--auto")));
  CHECK(!needs_series(parse_call(op, "--stops 1")));
}

TEST_CASE("the exposure of statistics is that of the image, and black has none") {
  const Op& op = *op_named("exposure");
  Statistics statistics{.log_average = 0.045};
  CHECK(auto_stops(parse_call(op, "--auto --smooth 3"), statistics) == doctest::Approx(2));
  CHECK(auto_stops(parse_call(op, "--auto --smooth 3 --key 0.36"), statistics) == doctest::Approx(3));
  statistics.log_average = 0;
  CHECK(std::isnan(auto_stops(parse_call(op, "--auto-from a.json"), statistics)));
  CHECK(exposure_of_stops(-40).number("stops") == -40);
  CHECK(exposure_of_stops(none).number("stops") == 0);
}
