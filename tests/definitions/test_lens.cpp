// Bloom and depth of field: what holds of light that is spread, by whatever kernel.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace definitions;

namespace {

Image difference(const Image& a, const Image& b) {
  Image result = a;
  for (size_t at = 0; at < a.texels.size(); ++at)
    for (size_t c = 0; c < 4; ++c) result.texels[at][c] -= b.texels[at][c];
  return result;
}

Image with_depth(Image image, const std::function<double(int, int)>& depth) {
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image.depth.push_back(double(float(depth(x, y))));
  return image;
}

// The radius in texels of the circle of a texel at `distance`, over 0 where it is nearer than the focus.
double circle(double distance, double focus, double stop, double length, double sensor, double width) {
  const double f = length / 1000;
  return f * f * (focus - distance) / (stop * distance * (focus - f)) / (sensor / 1000) * width / 2;
}

// The variance of where light is, along x.
double spread(const Image& image, int channel) {
  const Moments m = moments(image, channel);
  double sum = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) sum += image.at(x, y)[size_t(channel)] * (x - m.x) * (x - m.x);
  return sum / m.sum;
}

}  // namespace

DEVICE_TEST_CASE("bloom: the glow of a star lies around the star and holds its share of the light") {
  Images stars;
  for (int at = 60; at < 76; ++at) stars.push_back(star(128, 128, at, 127 - at, 40));
  stars.push_back(star(129, 97, 64, 48, 40));
  for (const std::string line :
       {"bloom --threshold 0 --radius 16 --intensity 0.5", "bloom --threshold 0 --radius 5 --intensity 0.5"}) {
    const Images seen = run(line, stars);
    double offset = 0, energy = 0, narrowest = INFINITY, widest = 0;
    for (size_t i = 0; i < stars.size(); ++i) {
      const Image glow = difference(seen[i], stars[i]);
      for (const int channel : {0, 2}) {
        const Moments light = moments(stars[i], channel), m = moments(glow, channel);
        energy = std::fmax(energy, std::fabs(m.sum / (0.5 * light.sum) - 1));
        offset = std::fmax(offset, std::fmax(std::fabs(m.x - light.x), std::fabs(m.y - light.y)));
      }
      if (stars[i].width == 128)
        narrowest = std::fmin(narrowest, spread(glow, 0)), widest = std::fmax(widest, spread(glow, 0));
    }
    CHECK_MESSAGE(energy < 1e-3, line, ": the light that is added is off by a share of ", energy);
    CHECK_MESSAGE(offset < 0.1, line, ": a glow lies ", offset, " texels beside its light");
    CHECK_MESSAGE(widest < 1.05 * narrowest, line, ": variances of glows from ", narrowest, " to ", widest);
  }
}

DEVICE_TEST_CASE("bloom: only light over the threshold glows, tinted, and a wider radius reaches farther") {
  const Image source = star(96, 96, 47, 48, 5);
  const double y = luminance({5, 2.5, 1.25}), share = (y - 1.5) / y;
  const Image plain = difference(run("bloom --threshold 1.5 --radius 8 --intensity 1", {source})[0], source);
  const Image tinted =
      difference(run("bloom --threshold 1.5 --radius 8 --intensity 1 --tint 1,0.5,0", {source})[0], source);
  const Image wider = difference(run("bloom --threshold 1.5 --radius 32 --intensity 1", {source})[0], source);
  CHECK(moments(plain, 0).sum == doctest::Approx(5 * share).epsilon(2e-3));
  CHECK(moments(plain, 1).sum == doctest::Approx(2.5 * share).epsilon(2e-3));
  CHECK(moments(tinted, 1).sum == doctest::Approx(1.25 * share).epsilon(2e-3));
  CHECK(largest(mapped(tinted, [](const Position& t) { return Position{0, 0, t[2], 0}; })) < 1e-6);
  CHECK(spread(wider, 0) > 2 * spread(plain, 0));
  const Image dark = scaled(wide(), 0.01);
  check_near(run("bloom --threshold 1", {dark}), {dark}, "bloom of what is under the threshold", {0, 0});
  // a constant picture glows by the same everywhere; one texel too
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 1}, {17, 9}, {64, 48}}) {
    const Image constant = made("constant", width, height, false, [](int, int) { return Position{2, 1, 4, 1}; });
    check_near(run("bloom --threshold 0 --intensity 0.5", {constant}), {scaled(constant, 1.5)}, "bloom", {1e-3, 0});
  }
}

DEVICE_TEST_CASE("dof: circles are those of the thin lens, as radii in texels") {
  const double distances[] = {0.5, 1, 1.5, 2, 3, 4, 10, 100, 0, INFINITY};
  const Image source = with_depth(star(40, 4, 0, 0), [&](int x, int) { return distances[x / 4]; });
  const Image shown =
      run("dof --show coc --focus 2 --f-stop 2.8 --focal-length 50 --sensor-width 36 --max-radius 128", {source})[0];
  double unit = 0;  // what stands for a texel of radius
  for (int i = 0; i < 10; ++i) {
    const double distance = distances[i] == 0 ? INFINITY : distances[i];
    const double radius =
        std::isinf(distance) ? circle(1e12, 2, 2.8, 50, 36, 40) : circle(distance, 2, 2.8, 50, 36, 40);
    const Position& seen = shown.at(4 * i + 1, 1);
    if (i == 0) unit = seen[0] / radius;
    CHECK_MESSAGE(seen[0] == doctest::Approx(std::fmax(radius, 0) * unit).epsilon(1e-4), "near, ", distance,
                  " m, radius ", radius);
    CHECK_MESSAGE(seen[1] == doctest::Approx(std::fmax(-radius, 0) * unit).epsilon(1e-4), "far, ", distance,
                  " m, radius ", radius);
  }
  CHECK_MESSAGE((unit == doctest::Approx(1 / 128.0) || unit == doctest::Approx(1)), "unit ", unit);
}

DEVICE_TEST_CASE(
    "dof: what is in focus stays, and a plane out of focus is blurred by one disk that keeps light and place") {
  const Image sharp = with_depth(wide(), [](int, int) { return 2; });
  check_near(run("dof --focus 2", {sharp}), {sharp}, "dof in focus", {1e-6, 0});
  // circles of 6.3 texels, near and far
  const double radius = 6.3, sensor = 2;
  const double f = 0.05, focus = 2, reach = radius * 2 * (sensor / 1000) / 64;  // on the sensor, in m
  const double stop = 2;
  const auto distance = [&](double sign) { return focus / (1 + sign * reach * stop * (focus - f) / (f * f)); };
  for (const double sign : {-1.0, 1.0}) {
    const double away = distance(sign);
    INFO("distance ", away);
    REQUIRE(away > 0);
    REQUIRE(circle(away, focus, stop, 50, sensor, 64) == doctest::Approx(sign * radius).epsilon(1e-6));
    Images inputs;
    for (const auto& [x, y] : {std::pair{31, 24}, {32, 24}, {33, 22}})
      inputs.push_back(with_depth(star(64, 48, x, y, 100), [&](int, int) { return away; }));
    const Image constant = made("constant", 64, 48, false, [](int, int) { return Position{0.3, 70, 0.01, 1}; });
    inputs.push_back(with_depth(constant, [&](int, int) { return away; }));
    inputs.push_back(with_depth(scaled(star(64, 48, 31, 24, 100), 1000), [&](int, int) { return away; }));
    const Images seen = run("dof --focus 2 --f-stop 2 --focal-length 50 --sensor-width 2", inputs);
    for (size_t i = 0; i < 3; ++i) {
      const Moments before = moments(inputs[i], 0), after = moments(seen[i], 0);
      CHECK(after.sum == doctest::Approx(before.sum).epsilon(1e-3));
      CHECK(std::fabs(after.x - before.x) < 0.01);
      CHECK(std::fabs(after.y - before.y) < 0.01);
      CHECK(spread(seen[i], 0) == doctest::Approx(radius * radius / 4).epsilon(0.05));  // of a disk
      const int x = int(before.x), y = int(before.y);
      int off = 0;
      for (int dy = -20; dy <= 20; ++dy)
        for (int dx = -20; dx <= 20; ++dx) {
          const double d = std::hypot(dx, dy), here = seen[i].at(x + dx, y + dy)[0];
          off += (d < radius - 1 && std::fabs(here * std::numbers::pi * radius * radius / 100 - 1) > 0.05) ||
                 (d > radius + 1 && here > 1e-6);
        }
      CHECK_MESSAGE(off == 0, off, " texels are not those of a disk");
    }
    check_near(seen[1], shifted(seen[0], 1, 0), "dof, moved", {1e-5, 1e-6});
    check_near(seen[2], shifted(seen[0], 2, -2), "dof, moved", {1e-5, 1e-6});
    check_near(seen[3], inputs[3], "dof of a constant", {1e-5, 0});
    check_near(seen[4], scaled(seen[0], 1000), "dof, brighter", {1e-5, 1e-3});
  }
}

DEVICE_TEST_CASE(
    "dof: mirrored pictures give mirrored results, and sharp things do not bleed into what is behind them") {
  const auto depth = [](int x, int y) { return x < 20 ? 1.2 : x + y < 60 ? 2.0 : 9.0; };
  const Image source = with_depth(wide(), depth);
  const std::string line = "dof --focus 2 --sensor-width 20 --f-stop 1.4 --max-radius 9";
  for (const std::string more : {"", " --resolution half"}) {
    const Images seen =
        run(line + more, {source, mirrored(source, true, false), mirrored(source, false, true), scaled(source, 64)});
    check_near(seen[1], mirrored(seen[0], true, false), line + more + ", mirrored in x", {2e-5, 1e-4});
    check_near(seen[2], mirrored(seen[0], false, true), line + more + ", mirrored in y", {2e-5, 1e-4});
    check_near(seen[3], scaled(seen[0], 64), line + more + ", brighter", {2e-5, 1e-3});
  }
  // a bright sharp half beside a black far half: the far half stays black
  const Image edge = with_depth(made("edge", 64, 48, false,
                                     [](int x, int) {
                                       return x < 32 ? Position{10, 10, 10, 1} : Position{0, 0, 0, 1};
                                     }),
                                [](int x, int) { return x < 32 ? 2.0 : 50.0; });
  check_near(run(line, {edge}), {edge}, "dof of a sharp edge", {1e-5, 1e-6});
  // a near black half covers a bright sharp one beyond its own edge, and light stays within what there was
  const Image near_edge = with_depth(edge, [](int, int) { return 0; });
  Image blocked = near_edge;
  blocked.depth.clear();
  blocked = with_depth(blocked, [](int x, int) { return x < 32 ? 2.0 : 1.0; });
  const Image covered = run("dof --focus 2 --sensor-width 5 --f-stop 1.4 --max-radius 9", {blocked})[0];
  for (const int y : {12, 24, 35}) {
    int rises = 0;
    for (int x = 1; x < 64; ++x) rises += covered.at(x, y)[0] > covered.at(x - 1, y)[0] + 1e-4;
    CHECK(rises == 0);
    CHECK(covered.at(0, y)[0] == doctest::Approx(10));
    CHECK(covered.at(29, y)[0] < 9);     // the circle of what is black reaches over
    CHECK(covered.at(34, y)[0] > 1e-3);  // and what is behind it shows through its edge
  }
}
