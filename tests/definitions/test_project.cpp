// project, held against the directions of texels, which are written here from the standards.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

using namespace definitions;

namespace {

using Direction = std::array<double, 3>;

Direction unit(const Direction& d) {
  const double length = std::hypot(d[0], d[1], d[2]);
  return {d[0] / length, d[1] / length, d[2] / length};
}

// Vulkan, "Cube Map Face Selection": s and t from 0 to 1, t downwards.
Direction direction_in_face(int face, double s, double t) {
  const double sc = 2 * s - 1, tc = 2 * t - 1;
  switch (face) {
    case 0: return unit({1, -tc, -sc});
    case 1: return unit({-1, -tc, sc});
    case 2: return unit({sc, 1, tc});
    case 3: return unit({sc, -1, -tc});
    case 4: return unit({sc, -tc, 1});
    default: return unit({-sc, -tc, -1});
  }
}

// The middle is +Z, the upper edge +Y, the middle of the right half +X.
Direction direction_in_latlong(const Image& image, int x, int y) {
  const double longitude = 2 * std::numbers::pi * ((x + 0.5) / image.width - 0.5);
  const double latitude = std::numbers::pi * (0.5 - (y + 0.5) / image.height);
  return {std::sin(longitude) * std::cos(latitude), std::sin(latitude), std::cos(longitude) * std::cos(latitude)};
}

using Light = std::function<Position(const Direction&)>;

Image latlong_of(int width, int height, const Light& light) {
  Image image = made("latlong", width, height, true, [](int, int) { return Position{}; });
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.at(x, y) = light(direction_in_latlong(image, x, y));
  return image;
}

// Column and row of the cell of each face.
using Cells = std::array<std::array<int, 2>, 6>;
constexpr Cells strip_cells{{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}};
constexpr Cells cross_cells{{{2, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 1}, {3, 1}}};
constexpr Cells column_cells{{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}};
constexpr Cells tall_cells{{{2, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 1}, {1, 3}}};

// `turns_last`: -Z is turned by half.
Image faces_of(int columns, int rows, int side, const Cells& cells, const Light& light, bool turns_last = false) {
  Image image = made("faces", columns * side, rows * side, true, [](int, int) { return Position{}; });
  for (int face = 0; face < 6; ++face)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const bool is_turned = turns_last && face == 5;
        image.at(cells[size_t(face)][0] * side + (is_turned ? side - 1 - x : x),
                 cells[size_t(face)][1] * side + (is_turned ? side - 1 - y : y)) =
            light(direction_in_face(face, (x + 0.5) / side, (y + 0.5) / side));
      }
  return image;
}
Image strip_of(int side, const Light& light) { return faces_of(6, 1, side, strip_cells, light); }
Image cross_of(int side, const Light& light) { return faces_of(4, 3, side, cross_cells, light); }

Position direction_as_color(const Direction& d) { return {2 + d[0], 2 + d[1], 2 + d[2], 1}; }
Position waves(const Direction& d) {
  return {2 + std::sin(3 * d[0] + d[1]), 2 + std::cos(2 * d[1] - 3 * d[2]), 2 + std::sin(4 * d[2] * d[0]), 1};
}

double noise_of(const Direction& d, int channel) {  // a float
  return float(noise(int(1e4 * (d[0] + 2)), int(1e4 * (d[1] + 2)) + int(1e4 * (d[2] + 2)), channel));
}

// The mean over the sphere of channel 0. The weight of a texel of a face falls off with the cube of its distance.
double mean_of_strip(const Image& strip) {
  const int side = strip.height;
  double sum = 0, weights = 0;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < strip.width; ++x) {
      const double u = (2 * (x % side) + 1.0) / side - 1, v = (2 * y + 1.0) / side - 1;
      const double weight = std::pow(1 + u * u + v * v, -1.5);
      sum += weight * strip.at(x, y)[0], weights += weight;
    }
  return sum / weights;
}
double mean_of_latlong(const Image& image) {
  double sum = 0, weights = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const double weight = std::cos(std::numbers::pi * (0.5 - (y + 0.5) / image.height));
      sum += weight * image.at(x, y)[0], weights += weight;
    }
  return sum / weights;
}

}  // namespace

DEVICE_TEST_CASE("project shows each direction where each form has it, also at edges, corners and poles") {
  for (const bool has_waves : {false, true}) {
    const Light light = has_waves ? waves : direction_as_color;
    const double curve = has_waves ? 10 : 1;  // second derivatives
    const Tolerance near{0, curve * 4e-4};
    const Image latlong = latlong_of(256, 128, light), strip = strip_of(64, light), cross = cross_of(64, light);
    check_near(run("project", {latlong})[0], strip, "lat-long to strip", near);
    check_near(run("project --to cross", {latlong})[0], cross, "lat-long to cross", near);
    check_near(run("project --from strip --to latlong", {strip})[0], latlong, "strip to lat-long", near);
    check_near(run("project --from cross --to latlong", {cross})[0], latlong, "cross to lat-long", near);
    const Images half = run("project --from strip --to cross --size 32", {strip});
    check_near(half[0], cross_of(32, light), "half of a strip", {0, 2 * near.absolute});
    // few texels around the poles
    check_near(run("project --size 16", {latlong_of(16, 8, direction_as_color)})[0], strip_of(16, direction_as_color),
               "coarse lat-long", {0, 0.05});
    check_near(run("project --size 16", {latlong})[0], strip_of(16, light), "small faces", {0, curve * 4e-3});
  }
}

DEVICE_TEST_CASE("project copies faces of the same size bit for bit, from each layout") {
  const Light light = [](const Direction& d) {
    return Position{noise_of(d, 0), noise_of(d, 1), noise_of(d, 2), noise_of(d, 3)};
  };
  const Image strip = strip_of(9, light), cross = cross_of(9, light);
  check_near(run("project --from strip --to cross", {strip})[0], cross, "strip to cross", {0, 0});
  check_near(run("project --from cross --to strip", {cross})[0], strip, "cross to strip", {0, 0});
  check_near(run("project --from strip --to cross", {faces_of(1, 6, 9, column_cells, light)})[0], cross,
             "column to cross", {0, 0});
  check_near(run("project --from cross --to strip", {faces_of(3, 4, 9, tall_cells, light, true)})[0], strip,
             "tall cross to strip", {0, 0});
}

DEVICE_TEST_CASE("project keeps a constant, at any size, and leaves the rest of a cross transparent") {
  const auto constant = [](const Direction&) { return Position{0.5, 0.25, 2, 0.5}; };
  Images latlongs;
  for (const auto& [width, height] : {std::pair{2, 1}, {1, 1}, {8, 4}, {17, 9}, {3, 50}})
    latlongs.push_back(latlong_of(width, height, constant));
  const Images strips = run("project --size 5", latlongs), crosses = run("project --to cross --size 5", latlongs);
  for (size_t i = 0; i < latlongs.size(); ++i) {
    check_near(strips[i], strip_of(5, constant), "strip");
    check_near(crosses[i], cross_of(5, constant), "cross");
  }
  const Images cubes{strip_of(1, constant), strip_of(2, constant), strip_of(7, constant)};
  for (const Image& made : run("project --from strip --to latlong --size 9", cubes))
    check_near(made, latlong_of(18, 9, constant), "lat-long");
  const Images sizes = run("project", latlongs);
  CHECK(sizes[0].height == 1);
  CHECK(sizes[3].height == 4);
  CHECK(sizes[3].width == 24);
  CHECK(run("project --from strip --to latlong", cubes)[2].width == 28);
}

DEVICE_TEST_CASE("project averages what it makes smaller, and keeps the mean over the sphere") {
  const Image stripes = made("stripes", 1024, 512, true, [](int x, int) {
    return Position{double(x % 2), double(x / 2 % 2), double(x / 4 % 2), 1};
  });
  const Image faces = run("project --size 16", {stripes})[0];
  for (const int face : {0, 1, 4, 5})
    for (int y = 4; y < 12; ++y)
      for (int x = 0; x < 16; ++x)
        for (size_t c = 0; c < 3; ++c) CHECK(std::abs(faces.at(16 * face + x, y)[c] - 0.5) < 0.15);
  const auto lobe = [](const Direction& d) {
    return Position{std::exp(20 * (0.6 * d[0] + 0.48 * d[1] + 0.64 * d[2] - 1)), 0, 0, 1};
  };
  const double mean = (1 - std::exp(-40.0)) / 40;  // of the lobe
  CHECK(mean_of_strip(run("project", {latlong_of(128, 64, lobe)})[0]) == doctest::Approx(mean).epsilon(2e-3));
  CHECK(mean_of_strip(run("project --size 8", {latlong_of(128, 64, lobe)})[0]) == doctest::Approx(mean).epsilon(2e-2));
  CHECK(mean_of_latlong(run("project --from strip --to latlong", {strip_of(32, lobe)})[0]) ==
        doctest::Approx(mean).epsilon(2e-3));
}

DEVICE_TEST_CASE("project keeps NaN and infinity near the texel that has them") {
  const auto light = [](const Direction& d) { return waves(d); };
  for (const double bad : {double(NAN), double(INFINITY)})
    for (const auto& [x, y] : {std::pair{0, 20}, {63, 5}, {40, 16}}) {
      Image latlong = latlong_of(64, 32, light);
      latlong.at(x, y)[1] = bad;
      const Direction from = direction_in_latlong(latlong, x, y);
      const Image strip = run("project", {latlong})[0];
      int count = 0;
      for (int row = 0; row < strip.height; ++row)
        for (int column = 0; column < strip.width; ++column) {
          const Position& c = strip.at(column, row);
          const Direction d = direction_in_face(column / 16, (column % 16 + 0.5) / 16, (row + 0.5) / 16);
          CHECK((std::isfinite(c[0]) && std::isfinite(c[2])));
          if (std::isfinite(c[1])) continue;
          ++count;
          CHECK(d[0] * from[0] + d[1] * from[1] + d[2] * from[2] > std::cos(0.35));
        }
      CHECK(count > 0);
    }
}

DEVICE_TEST_CASE("project in tiles is bit for bit the same, and the device agrees with the definition") {
  for (const char* line : {"project --to cross --size 50", "project --size 64"})
    check_near(run(std::string(line) + " --tile-side 64", {wide()}), run(line, {wide()}), "tiles", {0, 0});
  const Image strip = strip_of(10, waves);
  check_near(run("project --from strip --to latlong --size 50 --tile-side 64", {strip}),
             run("project --from strip --to latlong --size 50", {strip}), "tiles", {0, 0});
  check_exit_code("project --tile-side 64", large(), 7);  // each tile may need any texel of the input
  check_exit_code("project --storage fp16 --verify", odd(), 0);
  check_exit_code("project --from strip --to latlong --verify", strip_of(5, waves), 0);
  check_exit_code("project --to latlong", odd(), 1);
  check_exit_code("project --size 16384", odd(), 1);
  check_exit_code("project --from strip --to latlong", odd(), 2);
  check_exit_code("project --from cross --to latlong", wide(), 0);  // 64 x 48
  check_exit_code("project --from cross --to latlong", large(), 2);
}
