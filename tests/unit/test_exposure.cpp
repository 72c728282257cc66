// Automatic exposure is the same whatever the picture's own scale: a property that no definition of it gives.
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/ops/stats/reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace gpupost;

namespace {

// Light of twelve stops, with some black texels, times `scale`.
Planes light(double scale) {
  constexpr Size size{32, 16};
  std::mt19937 random(7);
  Planes planes;
  planes.fill({.size = size, .values = {}});
  for (size_t index = 0; index < texel_count(size); ++index)
    for (size_t component = 0; component < 4; ++component) {
      const double stops = double(random()) / double(random.max()) * 12 - 6;
      planes[component].values.push_back(component == 3 ? 1 : index % 9 == 0 ? 0 : scale * std::exp2(stops));
    }
  return planes;
}

Planes exposed(const Planes& planes, const std::string& words) {
  const Call call = parse_call(*op_named("exposure"), words);
  return call.op->reference.levels(call, planes)[0];
}

// The most that two pictures differ by, in stops.
double stops_between(const Planes& a, const Planes& b) {
  double most = 0;
  for (size_t component = 0; component < 3; ++component)
    for (size_t index = 0; index < a[component].values.size(); ++index)
      if (a[component].values[index] > 0)
        most = std::max(most, std::abs(std::log2(b[component].values[index] / a[component].values[index])));
  return most;
}

}  // namespace

TEST_CASE("automatic exposure gives one result from 1e-30 to 1e30 times the light") {
  for (const std::string words : {"--auto", "--auto --percentile 10,90", "--auto --percentile 0,50 --key 2"}) {
    const bool has_bins = std::string_view(words).find("percentile") != std::string_view::npos;
    const Planes once = exposed(light(1), words);
    for (int power = -30; power <= 30; ++power) {
      CAPTURE(words);
      CAPTURE(power);
      CHECK(stops_between(once, exposed(light(std::pow(10, power)), words)) <= (has_bins ? 1.0 / 8 : 1e-6));
      // whole stops move a picture by whole bins
      CHECK(stops_between(once, exposed(light(std::exp2(3 * power)), words)) <= 1e-6);
    }
  }
}

TEST_CASE("the histogram of light that is scaled is the same, moved by as many bins") {
  const Histogram once = statistics_of(light(1)).histogram;
  for (const int stops : {-90, -20, 20, 90}) {
    const Histogram scaled = statistics_of(light(std::exp2(stops))).histogram;
    CHECK(scaled.count() == once.count());
    for (int bin = 0; bin < Histogram::bin_count; ++bin) {
      const int from = bin - stops * Histogram::bins_a_stop;
      const uint32_t wanted = from >= 0 && from < Histogram::bin_count ? once.bins[size_t(from)] : 0;
      CHECK_MESSAGE(scaled.bins[size_t(bin)] == wanted, stops, " stops, bin ", bin);
    }
    for (const double percent : {1.0, 50.0, 99.0})
      CHECK(scaled.percentile(percent) / once.percentile(percent) == doctest::Approx(std::exp2(stops)).epsilon(1e-9));
  }
}
