// prefilter and irradiance, held against sums over all texels of a cube, and against what every environment must show.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

using namespace definitions;

namespace {

using std::numbers::pi;
using Direction = std::array<double, 3>;

double dot(const Direction& a, const Direction& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Vulkan, "Cube Map Face Selection". x and y from -1 to 1, y downwards.
Direction unit_vector_to(int face, double x, double y) {
  const Direction to[] = {{1, -y, -x}, {-1, -y, x}, {x, 1, y}, {x, -1, -y}, {x, -y, 1}, {-x, -y, -1}};
  const Direction& d = to[face];
  const double length = std::sqrt(dot(d, d));
  return {d[0] / length, d[1] / length, d[2] / length};
}

// A texel of a row of faces.
struct Texel {
  Direction d;
  double solid_angle;
};
Texel texel_at(int side, int column, int row) {
  const double x = (2 * (column % side) + 1.0) / side - 1, y = (2 * row + 1.0) / side - 1, half = 1.0 / side;
  const auto corner = [](double u, double v) { return std::atan2(u * v, std::sqrt(u * u + v * v + 1)); };
  return {unit_vector_to(column / side, x, y), corner(x + half, y + half) - corner(x - half, y + half) -
                                                   corner(x + half, y - half) + corner(x - half, y - half)};
}
std::vector<Texel> texels_of(int side) {
  std::vector<Texel> texels;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < 6 * side; ++x) texels.push_back(texel_at(side, x, y));
  return texels;
}

Image cube_of(int side, const std::function<Position(const Direction&)>& light) {
  return made("strip", 6 * side, side, true, [&](int x, int y) { return light(texel_at(side, x, y).d); });
}

// The weight of light from l on a surface with this normal.
using Lobe = std::function<double(const Direction& n, const Direction& l)>;

// The distribution of GGX for n = v, times n.l. Walter et al., Microfacet Models for Refraction, 2007, equation 33.
Lobe ggx(double roughness) {
  return [squared = std::pow(roughness, 4)](const Direction& n, const Direction& l) {
    const double cosine = dot(n, l);
    if (cosine <= 0) return 0.0;
    const double of_half = (1 + cosine) / 2;  // (n.h)^2
    return cosine * squared / std::pow(of_half * (squared - 1) + 1, 2);
  };
}
double cosine(const Direction& n, const Direction& l) { return std::max(0.0, dot(n, l)); }

// The mean of all texels of a row of faces.
Position mean_of(const Image& strip, const std::vector<Texel>& texels, const Direction& n, const Lobe& lobe) {
  Position sum{};
  double weights = 0;
  for (size_t index = 0; index < texels.size(); ++index) {
    const double weight = texels[index].solid_angle * lobe(n, texels[index].d);
    for (size_t c = 0; c < 4; ++c) sum[c] += weight * strip.texels[index][c];
    weights += weight;
  }
  for (double& value : sum) value /= weights;
  return sum;
}

// The largest and the root mean square error of about `count` texels, as shares of the largest value.
struct Errors {
  double largest = 0, rms = 0;
};
Errors errors_of(const Image& made, const Image& strip, const Lobe& lobe, int count) {
  const std::vector<Texel> texels = texels_of(strip.height), own = texels_of(made.height);
  const size_t step = std::max<size_t>(1, own.size() / size_t(count)) | 1;
  double most = 0, largest = 0, squares = 0;
  size_t compared = 0;
  for (size_t index = 0; index < own.size(); index += step) {
    const Position expected = mean_of(strip, texels, own[index].d, lobe);
    for (size_t c = 0; c < 3; ++c) {
      const double error = std::abs(made.texels[index][c] - expected[c]);
      most = std::max(most, expected[c]), largest = std::max(largest, error);
      squares += error * error, ++compared;
    }
  }
  return {largest / most, std::sqrt(squares / double(compared)) / most};
}

using Light = std::function<Position(const Direction&)>;

Light sun_at(const Direction& to) {
  return [to, length = std::sqrt(dot(to, to))](const Direction& d) {
    const double light = dot(d, to) > 0.999 * length ? 10000 : 0.2 + 0.1 * d[1];
    return Position{light, light, light, 1};
  };
}
Position sun(const Direction& d) { return sun_at({2, 6, 3})(d); }
Position checkers(const Direction& d) {
  const int at = int(std::floor(4 * d[0])) + int(std::floor(4 * d[1])) + int(std::floor(4 * d[2]));
  const double light = at % 2 == 0 ? 1 : 0.1;
  return {light, 0.5 * light, 1 - light, 1};
}

}  // namespace

DEVICE_TEST_CASE("prefilter and irradiance are near the sums over all texels") {
  using Case = std::pair<Light, Errors>;
  for (const auto& [light, most] : {Case{sun, {0.05, 0.015}}, Case{sun_at({1, 1, 1}), {0.1, 0.03}},
                                    Case{sun_at({1, 1, 0.1}), {0.05, 0.01}}, Case{checkers, {0.01, 0.004}}}) {
    const Image strip = cube_of(64, light);
    const Images levels = run_to_level_files("prefilter --levels 5", strip);
    REQUIRE(levels.size() == 5);
    check_near(levels[0], strip, "level 0", {0, 0});
    for (size_t level = 1; level <= levels.size(); ++level) {
      const bool is_diffuse = level == levels.size();
      const Image made = is_diffuse ? run("irradiance --size 9", {strip})[0] : levels[level];
      const Errors errors = errors_of(made, strip, is_diffuse ? cosine : ggx(double(level) / 4), 300);
      CAPTURE(level);
      CHECK(errors.largest < most.largest);
      CHECK(errors.rms < most.rms);
    }
  }
}

DEVICE_TEST_CASE("prefilter and irradiance keep a constant environment, also of one texel per face") {
  const auto constant = [](const Direction&) { return Position{0.3, 7, 4e4, 0.5}; };
  for (const int side : {1, 2, 8, 32}) {
    const std::string levels = std::to_string(int(std::log2(side)) + 1);
    for (const Image& level : run_to_level_files("prefilter --samples 100 --levels " + levels, cube_of(side, constant)))
      check_near(level, cube_of(level.height, constant), "level", {1e-5, 0});
    check_near(run("irradiance --size 5", {cube_of(side, constant)})[0], cube_of(5, constant), "diffuse", {1e-5, 0});
  }
}

DEVICE_TEST_CASE("prefilter and irradiance keep a constant environment with many samples") {
  const auto constant = [](const Direction&) { return Position{0.3, 7, 4e4, 0.5}; };
  const Image strip = cube_of(32, constant);
  check_near(run("irradiance --size 4 --samples 65536", {strip})[0], cube_of(4, constant), "many samples", {1e-5, 0});
  // a thread makes four texels
  check_near(run("irradiance --size 16 --samples 16384", {strip})[0], cube_of(16, constant), "16 rows", {1e-5, 0});
  check_near(run_to_level_files("prefilter --levels 2 --samples 16384", strip)[1], cube_of(16, constant), "level 1",
             {1e-5, 0});
}

DEVICE_TEST_CASE("irradiance of a half of the sphere is (1 + cos) / 2, and the same as roughness 1") {
  const Image sky = cube_of(64, [](const Direction& d) {
    return Position{d[1] > 0 ? 1.0 : 0, d[0] < 0 ? 1.0 : 0, 0, 1};
  });
  const Image expected = cube_of(8, [](const Direction& n) { return Position{(1 + n[1]) / 2, (1 - n[0]) / 2, 0, 1}; });
  check_near(run("irradiance --size 8", {sky})[0], expected, "half", {0, 2e-3});
  check_near(run("irradiance --size 8 --samples 1024", {sky})[0], run_to_level_files("prefilter", sky)[3],
             "roughness 1", {0, 0});
}

DEVICE_TEST_CASE("each level of prefilter has about the mean of the environment") {
  const Image strip = cube_of(64, checkers);
  const Lobe everywhere = [](const Direction&, const Direction&) { return 1.0; };
  const Position expected = mean_of(strip, texels_of(64), {}, everywhere);
  for (const Image& level : run_to_level_files("prefilter --levels 4", strip)) {
    const Position mean = mean_of(level, texels_of(level.height), {}, everywhere);
    for (size_t c = 0; c < 4; ++c) CHECK(mean[c] == doctest::Approx(expected[c]).epsilon(2e-3));
  }
}

DEVICE_TEST_CASE("turning the environment by a quarter turns what prefilter and irradiance make") {
  const auto turned = [](const Direction& d) { return sun({-d[2], d[1], d[0]}); };
  // faces of the horizon; those of +Y and -Y turn in themselves, and get other samples
  const auto check = [](const Image& plain, const Image& after, const std::string& what) {
    const int side = plain.height;
    const auto face = [side](const Image& image, int index) {
      return made("face", side, side, true, [&](int x, int y) { return image.at(index * side + x, y); });
    };
    const int behind[] = {4, 5, 2, 3, 1, 0};
    for (const int index : {0, 1, 4, 5}) check_near(face(after, index), face(plain, behind[index]), what, {1e-4, 1e-4});
  };
  const Image plain = cube_of(32, sun), after = cube_of(32, turned);
  const Images levels = run_to_level_files("prefilter", plain), levels_after = run_to_level_files("prefilter", after);
  REQUIRE(levels.size() == 3);
  for (size_t level = 0; level < levels.size(); ++level) check(levels[level], levels_after[level], "level");
  const Images diffuse = run("irradiance --size 7", {plain, after});
  check(diffuse[0], diffuse[1], "diffuse");
}

DEVICE_TEST_CASE("prefilter counts NaN as 0 and infinity as 65504, and keeps them in level 0") {
  Image odd_values = cube_of(16, checkers), replaced = odd_values;
  for (const auto& [x, value, count] : {std::array{5.0, double(NAN), 0.0}, std::array{40.0, double(INFINITY), 65504.0},
                                        std::array{80.0, -double(INFINITY), -65504.0}}) {
    odd_values.at(int(x), 7)[1] = value;
    replaced.at(int(x), 7)[1] = count;
  }
  const Images made = run_to_level_files("prefilter", odd_values), expected = run_to_level_files("prefilter", replaced);
  CHECK(std::isnan(made[0].at(5, 7)[1]));
  CHECK(made[0].at(40, 7)[1] == INFINITY);
  check_near(made[1], expected[1], "level 1", {0, 0});
  check_near(run("irradiance", {odd_values})[0], run("irradiance", {replaced})[0], "diffuse", {0, 0});
}

DEVICE_TEST_CASE("images that are no row of faces with a power of two are refused by prefilter and irradiance") {
  for (const char* op : {"prefilter", "irradiance"}) {
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 37}, {37, 1}, {17, 9}, {257, 129}, {72, 12}, {8, 48}})
      check_exit_code(op, made("image", width, height, false, [](int, int) { return Position{1, 1, 1, 1}; }), 2);
  }
}

DEVICE_TEST_CASE("prefilter and irradiance pass --verify with half storage and in Yxy") {
  for (const char* options : {" --storage fp16 --verify", " --space yxy --verify"}) {
    run_to_level_files(std::string("prefilter") + options, cube_of(16, checkers));
    for (const char* call : {"irradiance --size 5", "irradiance --size 2 --samples 10000"})
      check_exit_code(std::string(call) + options, cube_of(16, checkers), 0);
  }
}
