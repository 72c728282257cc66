// Properties of bloom that hold for any good glow, whatever its definition: its light lies around the light that it comes
// from, there is as much of it as was asked for, and it moves as its light moves.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

using namespace gpupost;

namespace {

Planes black(Size size) {
  Planes planes;
  planes.fill({.size = size, .values = std::vector<double>(texel_count(size))});
  return planes;
}

size_t index_of(Size size, Position at) { return size_t(at.y) * size_t(size.width) + size_t(at.x); }

// A white star of 101: 100 above the threshold of 1.
Planes star(Size size, Position at) {
  Planes planes = black(size);
  for (size_t c = 0; c < 3; ++c) planes[c].values[index_of(size, at)] = 101;
  return planes;
}

// What bloom adds to the green of a picture.
Plane glow_of(const Planes& picture, int radius) {
  const Call call = parse_call(*op_named("bloom"), fmt::format("--threshold 1 --radius {} --intensity 1", radius));
  Plane glow = call.op->reference.levels(call, picture)[0][1];
  for (size_t index = 0; index < glow.values.size(); ++index) glow.values[index] -= picture[1].values[index];
  return glow;
}

double sum_of(const Plane& plane) { return std::accumulate(plane.values.begin(), plane.values.end(), 0.0); }

struct Point2 {
  double x = 0, y = 0;
};

Point2 centroid_of(const Plane& plane) {
  Point2 moment;
  for (int y = 0; y < plane.size.height; ++y)
    for (int x = 0; x < plane.size.width; ++x) {
      const double value = plane.values[index_of(plane.size, {x, y})];
      moment.x += value * x;
      moment.y += value * y;
    }
  return {moment.x / sum_of(plane), moment.y / sum_of(plane)};
}

double distance(Point2 a, Position b) { return std::hypot(a.x - b.x, a.y - b.y); }

}  // namespace

TEST_CASE("the centroid of a star's glow is the star, wherever it stands in a block of texels") {
  for (const Size size : {Size{128, 128}, Size{131, 125}}) {
    double farthest = 0;
    for (int y = 56; y < 72; ++y)
      for (int x = 56; x < 72; ++x)
        farthest = std::max(farthest, distance(centroid_of(glow_of(star(size, {x, y}), 16)), {x, y}));
    CHECK_MESSAGE(farthest < 0.1, size.width, " x ", size.height, ": off by ", farthest, " texels");
  }
  for (const Size size : {Size{1024, 1}, Size{1, 1001}}) {
    double farthest = 0;
    for (int at = 468; at < 532; ++at) {
      const Position texel = size.height == 1 ? Position{at, 0} : Position{0, at};
      farthest = std::max(farthest, distance(centroid_of(glow_of(star(size, texel), 64)), texel));
    }
    CHECK_MESSAGE(farthest < 0.1, size.width, " x ", size.height, ": off by ", farthest, " texels");
  }
}

TEST_CASE("a star's glow is the same on its left and its right, and above and below") {
  const Size size{256, 256};
  const Plane glow = glow_of(star(size, {127, 127}), 64);
  const double middle = glow.values[index_of(size, {127, 127})];
  for (const int off : {4, 16, 40}) {
    const double left = glow.values[index_of(size, {127 - off, 127})];
    for (const Position at : {Position{127 + off, 127}, Position{127, 127 - off}, Position{127, 127 + off}})
      CHECK_MESSAGE(std::abs(glow.values[index_of(size, at)] - left) < 0.05 * left, off, " texels away at ", at.x, ", ",
                    at.y);
    CHECK(left < middle);
  }
}

TEST_CASE("a star that moves by one texel changes its glow by no more than a tenth anywhere it is bright") {
  const Size size{1024, 1};
  Plane before = glow_of(star(size, {500, 0}), 64);
  for (int at = 501; at < 564; ++at) {
    const Plane after = glow_of(star(size, {at, 0}), 64);
    // the two glows around their own stars
    for (int off = -48; off <= 48; off += 16) {
      const double was = before.values[size_t(at - 1 + off)], is = after.values[size_t(at + off)];
      CHECK_MESSAGE(std::abs(is - was) < (off == 0 ? 0.35 : 0.1) * was, at, " ", off, ": ", was, " then ", is);
    }
    before = after;
  }
}

TEST_CASE("a glow has the light that passes, to 0.1 %, at borders and odd sides too") {
  for (const Size size : {Size{128, 64}, Size{131, 67}, Size{33, 7}, Size{5, 3}, Size{3, 1}, Size{1, 1}})
    for (const int radius : {2, 12, 64})
      for (const Position at : {Position{0, 0}, Position{size.width - 1, size.height - 1}, Position{size.width / 2, 0},
                                Position{0, size.height / 2}, Position{size.width / 2, size.height / 2}}) {
        const double sum = sum_of(glow_of(star(size, at), radius));
        CHECK_MESSAGE(std::abs(sum - 100) < 0.1, size.width, " x ", size.height, ", radius ", radius, ", star at ",
                      at.x, ", ", at.y, ": ", sum);
      }
}

TEST_CASE("an even light glows evenly, at any size, one texel too") {
  for (const Size size : {Size{128, 64}, Size{131, 67}, Size{33, 7}, Size{5, 3}, Size{3, 1}, Size{1, 2}, Size{1, 1}}) {
    Planes picture = black(size);
    for (size_t c = 0; c < 3; ++c) std::ranges::fill(picture[c].values, 4);
    for (const double value : glow_of(picture, 64).values)
      CHECK_MESSAGE(std::abs(value - 3) < 3e-3, size.width, " x ", size.height, ": ", value);
  }
}

TEST_CASE("a glow of a picture longer than 65536 texels is whole") {
  const Size size{200000, 1};
  const Plane glow = glow_of(star(size, {150000, 0}), 16);
  CHECK(std::abs(sum_of(glow) - 100) < 0.1);
  CHECK(distance(centroid_of(glow), {150000, 0}) < 0.1);
}
