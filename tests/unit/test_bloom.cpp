// Bright-pass and bloom by their definitions.
#include "core/op/parse.h"
#include "core/ops/bloom/reference.h"
#include "core/ops/brightpass/reference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace gpupost;

TEST_CASE("bright-pass is what is over the threshold, with a knee that goes into it without a bend") {
  CHECK(bright(3, {.threshold = 1}) == 2);
  CHECK(bright(1, {.threshold = 1}) == 0);
  CHECK(bright(0.5, {.threshold = 1}) == 0);
  CHECK(bright(-4, {.threshold = 1}) == 0);
  CHECK(bright(NAN, {.threshold = 1}) == 0);
  CHECK(bright(0, {.threshold = 0}) == 0);
  const BrightPass with_knee{.threshold = 1, .knee = 0.5};
  CHECK(bright(0.5, with_knee) == 0);
  CHECK(std::abs(bright(1, with_knee) - 0.125) < 1e-12);
  CHECK(std::abs(bright(1.5, with_knee) - 0.5) < 1e-12);
  CHECK(bright(2, with_knee) == 1);
  const double step = 1e-6, slope_end = (bright(1.5, with_knee) - bright(1.5 - step, with_knee)) / step;
  CHECK(std::abs(slope_end - 1) < 1e-5);
  CHECK(bright(0.5 + step, with_knee) / step < 1e-5);
}

TEST_CASE("the mapped bright-pass is that of the DirectX sample: v / (10 + v), v = Y key / average - 5") {
  const BrightPass mapped{.threshold = 5, .scale = 0.18 / 0.02, .limit = 10};
  for (const auto& [luminance, expected] : {std::pair{0.5, 0.0}, {1.0, 4.0 / 14}, {100.0, 895.0 / 905}})
    CHECK(std::abs(bright(luminance, mapped) - expected) < 1e-12);
  CHECK(bright(INFINITY, mapped) == 1);
}

TEST_CASE("a glow's weights are one in all, grow level by level with the radius, and stop where the picture does") {
  for (const double radius : {2.0, 3.0, 16.0, 100.0, 16384.0}) {
    const std::vector<double> weights = glow_weights(radius, {1920, 1080});
    CHECK(std::abs(std::accumulate(weights.begin(), weights.end(), 0.0) - 1) < 1e-12);
    CHECK(int(weights.size()) == std::min(10, int(std::ceil(std::log2(radius)))));
  }
  CHECK(glow_weights(2, {1920, 1080}) == std::vector<double>{1});
  CHECK(std::abs(glow_weights(std::exp2(2.5), {64, 64})[2] - 0.2) < 1e-12);
  CHECK(glow_weights(64, {1, 1}) == std::vector<double>{1});
}

static Plane impulse(Size size, Position at) {
  Plane plane{.size = size, .values = std::vector<double>(texel_count(size))};
  plane.values[size_t(at.y) * size_t(size.width) + size_t(at.x)] = 1;
  return plane;
}

static double sum_of(const Plane& plane) { return std::accumulate(plane.values.begin(), plane.values.end(), 0.0); }

TEST_CASE("spreading keeps constants and the sum of light of every texel, at odd sides and borders too") {
  const Plane flat{.size = {7, 5}, .values = std::vector<double>(35, 3)};
  for (const Size to : {Size{14, 10}, Size{15, 11}, Size{15, 10}})
    for (const double value : spread(flat, to).values) CHECK(std::abs(value - 3) < 1e-12);
  for (const Position at : {Position{0, 0}, Position{1, 2}, Position{6, 4}})
    for (const Size to : {Size{14, 10}, Size{15, 11}, Size{14, 11}})
      CHECK(std::abs(sum_of(spread(impulse({7, 5}, at), to)) - double(texel_count(to)) / 35) < 1e-12);
}
