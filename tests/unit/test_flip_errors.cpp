// FLIP: against numbers of another implementation, and by what holds whatever the definition is.
#include "core/image/flip_errors.h"
#include "core/image/primaries.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace gpupost;

namespace {

using Light = std::function<double(int x, int y, size_t component)>;

Picture picture_from(Size size, const Light& light) {
  return color_picture_of(
      made_group({{{"R"}, {"G"}, {"B"}, {}}}, Depth::f32, size, 1,
                 [&](int x, int y, size_t c, int) { return bits_of_float(c < 3 ? float(light(x, y, c)) : 1); }));
}

Light gray(double light) {
  return [=](int, int, size_t) { return light; };
}

Light noise(uint32_t seed) {
  return [=](int x, int y, size_t c) { return (hash_of(uint32_t(x), uint32_t(y), uint32_t(c), seed) >> 8) * 0x1p-24; };
}

// The first noise with an eighth of the second one.
double near_noise(int x, int y, size_t c) { return 0.875 * noise(0)(x, y, c) + 0.125 * noise(1)(x, y, c); }

// A square of 8 x 8 texels on black.
Light square(int left, const std::array<double, 3>& color) {
  return [=](int x, int y, size_t c) { return x >= left && x < left + 8 && y >= 8 && y < 16 ? color[c] : 0; };
}

FlipErrors errors_of(Size size, const Light& a, const Light& b) {
  return flip_errors(picture_from(size, a), picture_from(size, b));
}

double at(const FlipErrors& errors, int x, int y) {
  return double(errors.map[size_t(y) * size_t(errors.size.width) + size_t(x)]);
}

constexpr Size sizes[] = {{1, 1}, {1, 37}, {37, 1}, {17, 9}, {257, 129}};
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// The numbers are those of a script with SciPy, which filters by convolution in two dimensions and takes its matrix from NVIDIA's
// implementation. That matrix differs from ours by 1e-5.
TEST_CASE("FLIP has the numbers of another implementation") {
  struct Expected {
    Size size;
    Light b;
    double mean, maximum;
    Position worst;
  };
  const Expected of_noise[] = {
      {{1, 1}, noise(1), 0.951586, 0.951586, {0, 0}},       {{1, 1}, near_noise, 0.277721, 0.277721, {0, 0}},
      {{1, 37}, noise(1), 0.613678, 0.966103, {0, 36}},     {{1, 37}, near_noise, 0.149343, 0.271173, {0, 0}},
      {{37, 1}, noise(1), 0.604374, 0.971564, {0, 0}},      {{37, 1}, near_noise, 0.159280, 0.340299, {0, 0}},
      {{17, 9}, noise(1), 0.453450, 0.961804, {0, 8}},      {{17, 9}, near_noise, 0.111364, 0.306880, {0, 8}},
      {{257, 129}, noise(1), 0.390091, 0.965625, {107, 0}}, {{257, 129}, near_noise, 0.093995, 0.318927, {106, 0}}};
  for (const auto& [size, b, mean, maximum, worst] : of_noise) {
    CAPTURE(size.width);
    const FlipErrors found = errors_of(size, noise(0), b);
    CHECK(std::abs(found.mean - mean) < 5e-5);
    CHECK(std::abs(found.maximum - maximum) < 5e-5);
    CHECK(found.worst == worst);
  }
  struct Square {
    Light b;
    double mean, maximum;
  };
  const Square squares[] = {{square(13, {1, 1, 1}), 0.089115, 0.727848},
                            {square(12, {1, 0, 0}), 0.213392, 0.990764},
                            {square(12, {0.5, 0.5, 1}), 0.198372, 0.913738}};
  for (const auto& [b, mean, maximum] : squares) {
    const FlipErrors found = errors_of({32, 24}, square(12, {1, 1, 1}), b);
    CHECK(std::abs(found.mean - mean) < 5e-5);
    CHECK(std::abs(found.maximum - maximum) < 5e-5);
  }
}

TEST_CASE("FLIP is 0 for the same image, and the same if the images change places") {
  for (const Size size : sizes) {
    const FlipErrors none = errors_of(size, noise(0), noise(0));
    CHECK(none.mean == 0);
    CHECK(none.maximum == 0);
    CHECK(none.worst == Position{0, 0});
    const FlipErrors there = errors_of(size, noise(0), noise(1)), back = errors_of(size, noise(1), noise(0));
    CHECK(there.map == back.map);
    CHECK(std::ranges::all_of(there.map, [](float error) { return error >= 0 && error <= 1; }));
  }
}

TEST_CASE("FLIP of black against white is nearly 1 everywhere, and a darker gray is nearer to black") {
  for (const Size size : sizes) {
    const FlipErrors whole = errors_of(size, gray(0), gray(1));
    for (const float error : whole.map) CHECK(error == doctest::Approx(0.9674).epsilon(1e-4));
    CHECK(errors_of(size, gray(0), gray(0.02)).mean < errors_of(size, gray(0), gray(0.2)).mean);
  }
}

TEST_CASE("FLIP of an image that moves by a texel is less than that of noise") {
  const auto wave = [](int shift) {
    return [=](int x, int y, size_t) { return 0.5 + 0.4 * std::sin((x + shift) / 4.0) * std::cos(y / 5.0); };
  };
  const double shift = errors_of({64, 48}, wave(0), wave(1)).mean, farther = errors_of({64, 48}, wave(0), wave(2)).mean;
  CHECK(shift > 0);
  CHECK(shift < farther);
  CHECK(farther < errors_of({64, 48}, wave(0), noise(1)).mean);
}

TEST_CASE("FLIP of mirrored and transposed images is mirrored and transposed") {
  const auto transposed = [](const Light& light) { return [=](int x, int y, size_t c) { return light(y, x, c); }; };
  for (const auto [width, height] : sizes) {
    const auto mirrored = [=](const Light& light) {
      return [=](int x, int y, size_t c) { return light(width - 1 - x, height - 1 - y, c); };
    };
    const FlipErrors plain = errors_of({width, height}, noise(0), noise(1));
    const FlipErrors mirror = errors_of({width, height}, mirrored(noise(0)), mirrored(noise(1)));
    const FlipErrors transpose = errors_of({height, width}, transposed(noise(0)), transposed(noise(1)));
    double farthest = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (const double other : {at(mirror, width - 1 - x, height - 1 - y), at(transpose, y, x)})
          farthest = std::max(farthest, std::abs(at(plain, x, y) - other));
    CHECK(farthest < 1e-6);
  }
}

TEST_CASE("FLIP repeats the texels at the border beyond it") {
  constexpr int margin = 12;
  for (const auto [width, height] : sizes) {
    const auto extended = [=](const Light& light) {
      return [=](int x, int y, size_t c) {
        return light(std::clamp(x - margin, 0, width - 1), std::clamp(y - margin, 0, height - 1), c);
      };
    };
    const FlipErrors plain = errors_of({width, height}, noise(0), noise(1));
    const FlipErrors wide =
        errors_of({width + 2 * margin, height + 2 * margin}, extended(noise(0)), extended(noise(1)));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) REQUIRE(std::abs(at(plain, x, y) - at(wide, x + margin, y + margin)) < 1e-6);
  }
}

TEST_CASE("FLIP takes NaN as black, with an error of 1 if only one image has it, and clamps other values to 0..1") {
  const auto with = [](double light) {
    return [=](int x, int y, size_t c) { return x == 4 && y == 3 ? light : noise(0)(x, y, c); };
  };
  const std::pair<double, double> same[] = {
      {-1, 0}, {-infinity, 0}, {7, 1}, {infinity, 1}, {double(std::numeric_limits<float>::max()), 1}};
  for (const auto& [light, shown] : same) {
    CHECK(errors_of({17, 9}, with(light), with(shown)).maximum == 0);
    CHECK(errors_of({17, 9}, with(light), with(1 - shown)).maximum > 0.1);
  }
  const double nan = std::nan("");
  CHECK(errors_of({17, 9}, with(nan), with(nan)).maximum == 0);
  FlipErrors black = errors_of({17, 9}, with(0), noise(0));
  black.map[3 * 17 + 4] = 1;
  CHECK(errors_of({17, 9}, with(nan), noise(0)).map == black.map);
  CHECK(errors_of({17, 9}, noise(0), with(nan)).map == black.map);
  CHECK(errors_of({17, 9}, with(nan), with(0)).worst == Position{4, 3});
}

TEST_CASE("FLIP does not depend on alpha, which is already multiplied in, and takes gray as R, G and B") {
  Picture a = noise_of_channels("RGBA", Depth::f32, Transfer::linear, {17, 9});
  Picture b = noise_of_channels("RGBA", Depth::f32, Transfer::linear, {17, 9}, 1);
  const FlipErrors errors = flip_errors(a, b);
  for (Picture* picture : {&a, &b})
    for (size_t texel = 0; texel < 17 * 9; ++texel)
      picture->groups[0].levels[0].texels.as<float>()[4 * texel + 3] = 0.5f;
  CHECK(flip_errors(a, b).map == errors.map);
  const auto luminance = [](uint32_t seed) {
    return noise_of_channels("YA", Depth::f32, Transfer::linear, {17, 9}, seed);
  };
  const auto color = [](uint32_t seed) { return [=](int x, int y, size_t) { return noise(seed)(x, y, 0); }; };
  CHECK(flip_errors(luminance(0), luminance(1)).map == errors_of({17, 9}, color(0), color(1)).map);
}

TEST_CASE("FLIP converts other primaries to Rec. 709") {
  const auto part = [](int x, int y, size_t c) { return 0.2 + 0.6 * noise(0)(x, y, c); };
  const Picture plain = picture_from({17, 9}, part);
  Picture wide = picture_from({17, 9}, part);
  convert_primaries(wide, {.from = rec709, .to = rec2020});
  CHECK(flip_errors(plain, wide).mean > 0.05);
  set_primaries(wide, rec2020);
  CHECK(flip_errors(plain, wide).maximum < 1e-4);
}

TEST_CASE("FLIP needs color of floats") {
  CHECK(has_flip_color(picture_from({2, 1}, gray(0))));
  Picture data = picture_from({2, 1}, gray(0));
  data.groups[0].is_color = false;
  CHECK_FALSE(has_flip_color(data));
  Picture ids = picture_from({2, 1}, gray(0));
  ids.groups[0].depth = Depth::u32;
  CHECK_FALSE(has_flip_color(ids));
}

TEST_CASE("the picture of FLIP is gray and has the map times the scale, and the windows of the image") {
  Picture a = picture_from({17, 9}, noise(0));
  a.data_window = {3, 2, 19, 10};
  a.display_window = {0, 0, 30, 20};
  const FlipErrors errors = flip_errors(a, picture_from({17, 9}, noise(1)));
  const Picture picture = picture_of_flip(errors, a, 2);
  CHECK(picture.data_window == a.data_window);
  CHECK(picture.display_window == a.display_window);
  const Group& group = picture.groups[0];
  CHECK(group.is_luminance);
  CHECK_FALSE(group.has_alpha());
  const auto numbers = group.levels[0].texels.as<float>();
  for (size_t texel = 0; texel < errors.map.size(); ++texel)
    for (size_t c = 0; c < 3; ++c) CHECK(numbers[4 * texel + c] == 2 * errors.map[texel]);
}
