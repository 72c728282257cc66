// Statistics by definition: the figures of the literature, and pictures that are hard.
#include "core/ops/stats/check.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

using namespace gpupost;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A row of grays.
Planes grays(const std::vector<double>& numbers) {
  Planes planes;
  planes.fill({.size = {int(numbers.size()), 1}, .values = numbers});
  return planes;
}

}  // namespace

TEST_CASE("the log average is of what is above 0, the mean of all") {
  const Statistics made = statistics_of(grays({0, 0.01, 0.18, 1, 100}));
  CHECK(made.log_average == doctest::Approx(0.651356).epsilon(1e-6));
  CHECK(made.luminance.mean == doctest::Approx(20.238).epsilon(1e-6));
  CHECK(made.luminance.zero_count == 1);
  CHECK(made.positive_count() == 4);
  CHECK(made.histogram.count() == 4);
}

TEST_CASE("luminances of single colors are those of Rec.709") {
  const std::array<std::array<double, 4>, 5> rows{
      {{1, 0, 0, .2126390}, {0, 1, 0, .7151687}, {0, 0, 1, .0721923}, {.5, .1, .02, .1792802}, {4, 1, .2, 1.5801632}}};
  for (const auto& [red, green, blue, luminance] : rows) {
    Planes picture = grays({1});
    picture[0].values = {red};
    picture[1].values = {green};
    picture[2].values = {blue};
    CHECK(statistics_of(picture).luminance.mean == doctest::Approx(luminance).epsilon(1e-6));
  }
}

TEST_CASE("what is no number is counted and left out") {
  Planes picture = grays({not_a_number, infinity, -infinity, -1, 0, 3});
  picture[1].values[5] = not_a_number;  // takes the luminance with it, but not the red
  const Statistics made = statistics_of(picture);
  const ChannelStats& red = made.components[0];
  CHECK(red.nan_count == 1);
  CHECK(red.infinite_count == 2);
  CHECK(red.negative_count == 1);
  CHECK(red.zero_count == 1);
  CHECK(red.mean == doctest::Approx(2.0 / 3));
  CHECK(red.least == -1);
  CHECK(red.largest == 3);
  CHECK(made.luminance.nan_count == 2);
  CHECK(made.luminance.infinite_count == 2);
  CHECK(made.luminance.largest == 0);
  CHECK(made.luminance.mean == doctest::Approx(-0.5));
  CHECK(made.log_average == 0);
}

TEST_CASE("a picture without any finite number has zeros for numbers, and so has black") {
  for (const double number : {not_a_number, infinity, 0.0}) {
    const Statistics made = statistics_of(grays({number}));
    CHECK(made.luminance.mean == 0);
    CHECK(made.luminance.least == 0);
    CHECK(made.luminance.largest == 0);
    CHECK(made.log_average == 0);
    CHECK(made.histogram.percentile(50) == 0);
    CHECK(made.histogram.log_average(0, 100) == 0);
  }
}

TEST_CASE("bins are an eighth of a stop, for every float that is not next to zero") {
  CHECK(Histogram::bin_of(1) == 1024);
  CHECK(Histogram::bin_of(1.99) == 1031);
  CHECK(Histogram::bin_of(2) == 1032);
  CHECK(Histogram::bin_of(0x1p-128) == 0);
  CHECK(Histogram::bin_of(0x1p-149) == 0);
  CHECK(Histogram::bin_of(double(std::numeric_limits<float>::max())) == Histogram::bin_count - 1);
  CHECK(Histogram::edge(1032) == 2);
}

TEST_CASE("percentiles are where so many luminances lie below, to within a bin") {
  std::vector<double> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 1);
  const Histogram histogram = statistics_of(grays(numbers)).histogram;
  for (const double percent : {1.0, 25.0, 50.0, 75.0, 99.0})
    CHECK(std::abs(std::log2(histogram.percentile(percent) / (10 * percent))) <= 1.0 / 8);
  CHECK(histogram.percentile(0) <= 1);
  CHECK(histogram.percentile(100) >= 1000);
}

TEST_CASE("an average between percentiles leaves out what lies beyond them") {
  std::vector<double> numbers(100, 0.5);
  for (size_t index = 0; index < 10; ++index) {
    numbers[index] = 1e-4;
    numbers[99 - index] = 1e4;
  }
  const Histogram histogram = statistics_of(grays(numbers)).histogram;
  CHECK(std::abs(std::log2(histogram.log_average(10, 90) / 0.5)) <= 1.0 / 16 + 1e-9);
  CHECK(std::abs(std::log2(histogram.log_average(0, 10) / 1e-4)) <= 1.0 / 16 + 1e-9);
  CHECK(histogram.log_average(0, 90) < 0.3);
}

TEST_CASE("parts of extremes make the whole: of finite numbers, of numbers near the largest, and of none") {
  const auto word = [](double number) { return std::bit_cast<uint32_t>(float(number)); };
  const auto joined = [](std::vector<uint32_t> words, size_t texel_count) {
    return statistics_of(words, texel_count, Measure::extremes).luminance;
  };
  const uint32_t not_finite = 2 | 3 << 16;
  const ChannelStats made = joined({word(6 / extremes_sum_scale), word(-1), word(5), not_finite,  //
                                    word(3 / extremes_sum_scale), word(0.5), word(2.5), 1},
                                   15);
  CHECK(made.mean == 1);  // 9 of 9 that are finite
  CHECK(made.least == -1);
  CHECK(made.largest == 5);
  CHECK(made.nan_count == 3);
  CHECK(made.infinite_count == 3);
  const std::vector<uint32_t> huge{word(3e38), word(3e38), word(3e38), 0};
  CHECK(joined({huge[0], huge[1], huge[2], 0, huge[0], huge[1], huge[2], 0}, 131072).mean == double(3e38f));
  const ChannelStats none = joined({word(0), word(3.4e38), word(-3.4e38), 4}, 4);
  CHECK(none.mean == 0);
  CHECK(none.least == 0);
  CHECK(none.largest == 0);
}

TEST_CASE("a number that is off is found, whichever it is") {
  const Planes picture = grays({0, 0.01, 0.18, 1, 100, -2, not_a_number, infinity});
  const Planes no_error = grays(std::vector<double>(8));
  const Statistics right = statistics_of(picture);
  const auto share = [&](const Statistics& found) {
    return worst_of(check_statistics(found, picture, no_error, Measure::all)).share();
  };
  CHECK(share(right) <= 1);
  for (double ChannelStats::*member :
       {&ChannelStats::mean, &ChannelStats::least, &ChannelStats::largest, &ChannelStats::deviation}) {
    Statistics wrong = right;
    wrong.luminance.*member *= 1.001;
    wrong.luminance.*member += 1e-4;
    CHECK(share(wrong) > 1);
    wrong = right;
    wrong.components[3].*member += 1e-3;
    CHECK(share(wrong) > 1);
  }
  for (uint32_t ChannelStats::*member : {&ChannelStats::nan_count, &ChannelStats::infinite_count,
                                         &ChannelStats::negative_count, &ChannelStats::zero_count}) {
    Statistics wrong = right;
    wrong.luminance.*member += 1;
    CHECK(share(wrong) > 1);
    wrong = right;
    wrong.components[2].*member += 1;
    CHECK(share(wrong) > 1);
  }
  Statistics wrong = right;
  ++wrong.histogram.bins[7];
  CHECK(share(wrong) > 1);
  wrong = right;
  wrong.log_average *= 1.0001;
  CHECK(share(wrong) > 1);
}
