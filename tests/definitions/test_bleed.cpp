// bleed and mips --bleed, held against their definition and against properties that do not come from it.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace definitions;

namespace {

// Light with alpha in islands, and transparent black around them.
Image islands(int width, int height, double share = 0.1) {
  return made("islands", width, height, true, [&](int x, int y) {
    const double alpha = noise(x / 3, y / 3, 3) < share ? 0.25 + noise(x, y, 4) : 0;
    return Position{alpha * noise(x, y, 0), alpha * (noise(x, y, 1) - 0.25), 3 * alpha * noise(x, y, 2), alpha};
  });
}

double weight_of(const Position& texel) { return std::min(std::abs(texel[3]), 1.0); }

// Sum of straight color times weight, and of weight, over the square of `side` texels at square (x, y).
Position sum_of_square(const Image& image, int side, int x, int y) {
  Position sum{};
  for (int row = y * side; row < std::min((y + 1) * side, image.height); ++row)
    for (int column = x * side; column < std::min((x + 1) * side, image.width); ++column) {
      const Position& texel = image.at(column, row);
      if (texel[3] == 0) continue;
      for (size_t c = 0; c < 3; ++c) sum[c] += texel[c] / texel[3] * weight_of(texel);
      sum[3] += weight_of(texel);
    }
  return sum;
}

// The color of each square of `side` texels: its mean, or what the squares of twice the side give between their centers.
Image colors_of_squares(const Image& image, int side) {
  const int width = (image.width + side - 1) / side, height = (image.height + side - 1) / side;
  Image larger;
  if (side < std::max(image.width, image.height)) larger = colors_of_squares(image, 2 * side);
  return made("colors", width, height, true, [&](int x, int y) {
    const Position sum = sum_of_square(image, side, x, y);
    if (sum[3] > 0) return Position{sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3], 1};
    Position color{};
    if (larger.texels.empty()) return color;
    for (const int step_y : {0, 1})
      for (const int step_x : {0, 1}) {
        const int column = std::clamp(x / 2 + step_x * (x % 2 == 0 ? -1 : 1), 0, larger.width - 1);
        const int row = std::clamp(y / 2 + step_y * (y % 2 == 0 ? -1 : 1), 0, larger.height - 1);
        for (size_t c = 0; c < 4; ++c)
          color[c] += (step_x == 0 ? 0.75 : 0.25) * (step_y == 0 ? 0.75 : 0.25) * larger.at(column, row)[c];
      }
    return color;
  });
}

Image bled(const Image& image) {
  const Image colors = colors_of_squares(image, 1);
  return made(image.name, image.width, image.height, true, [&](int x, int y) {
    Position texel = image.at(x, y);
    if (texel[3] == 0 && colors.at(x, y)[3] > 0) std::copy_n(colors.at(x, y).begin(), 3, texel.begin());
    return texel;
  });
}

// The texels with an alpha other than 0, or with alpha 0; the others are 0.
Image only(const Image& image, bool is_visible) {
  return mapped(image, [&](Position texel) { return (texel[3] != 0) == is_visible ? texel : Position{}; });
}

}  // namespace

DEVICE_TEST_CASE("bleed gives texels of alpha 0 the color of its definition, and changes no other") {
  const Images inputs{islands(1, 1), islands(1, 37), islands(37, 1), islands(17, 9),       islands(257, 129),
                      holes(),       odd(),          column(),       islands(64, 64, 0.01)};
  const Images results = run("bleed", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string what = "bleed of image " + std::to_string(i);
    check_near(results[i], bled(inputs[i]), what, {1e-5, 1e-5});
    check_near(only(results[i], true), only(inputs[i], true), what + ", visible", {0, 0});
  }
  check_near(run("bleed --space yxy", inputs), results, "yxy", {1e-4, 1e-4});
  check_exit_code("bleed --storage fp16 --verify", islands(257, 129), 0);
  check_exit_code("bleed --space yxy --verify", islands(257, 129), 0);
  check_exit_code("blur --sigma 1 bleed --verify", islands(257, 129), 0);
  check_exit_code("bleed gain --value 2 --verify", islands(257, 129), 0);
}

DEVICE_TEST_CASE("bleed keeps a constant color, and stays within the colors around") {
  const Image constant = mapped(islands(257, 129, 0.02), [](const Position& texel) {
    return Position{0.7 * texel[3], 0.2 * texel[3], 4 * texel[3], texel[3]};
  });
  const Image filled = run("bleed", {constant})[0];
  for (const Position& texel : filled.texels)
    if (texel[3] == 0) {
      CHECK(std::abs(texel[0] - 0.7) < 1e-5);
      CHECK(std::abs(texel[1] - 0.2) < 1e-5);
      CHECK(std::abs(texel[2] - 4) < 1e-4);
    }
  // one texel gives its color to all
  const Image one_texel = made("one texel", 100, 70, true, [](int x, int y) {
    return x == 93 && y == 4 ? Position{0.25, 0.5, 0.125, 0.5} : Position{};
  });
  for (const Position& texel : run("bleed", {one_texel})[0].texels)
    if (texel[3] == 0) CHECK((texel == Position{0.5, 1, 0.25, 0}));
  // red at the left and blue at the right: each has more of the nearer color, and neither has green
  const Image sides = made("sides", 64, 16, true, [](int x, int) {
    return x == 0 ? Position{1, 0, 0, 1} : x == 63 ? Position{0, 0, 1, 1} : Position{};
  });
  const Image between = run("bleed", {sides})[0];
  for (int x = 1; x < 63; ++x) {
    const Position& texel = between.at(x, 7);
    CHECK(texel[1] == 0);
    CHECK(std::abs(texel[0] + texel[2] - 1) < 1e-6);
    CHECK((x < 32 ? texel[0] >= texel[2] : texel[2] >= texel[0]));
    CHECK(texel[0] <= between.at(x - 1, 7)[0] + 1e-6);
  }
  CHECK(between.at(1, 7)[0] > 0.99);
}

DEVICE_TEST_CASE("bleed follows a mirror, an exchange of channels and a gain") {
  const Image square = islands(64, 64), image = islands(257, 129);
  const Image filled = run("bleed", {square})[0];
  check_near(run("bleed", {mirrored(square, true, false)})[0], mirrored(filled, true, false), "mirror", {1e-5, 1e-5});
  check_near(run("bleed", {mirrored(square, false, true)})[0], mirrored(filled, false, true), "mirror", {1e-5, 1e-5});
  check_near(run("bleed", {permuted(image)})[0], permuted(run("bleed", {image})[0]), "channels", {0, 0});
  check_near(run("bleed", {scaled(image, 2)})[0], scaled(run("bleed", {image})[0], 2), "gain", {0, 0});
}

DEVICE_TEST_CASE("bleed spreads no color that is not finite, too large or of hardly any alpha") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Position light{0.5, 0.25, 1, 0.5};
  for (const Position& odd_one : {Position{nan, 0.5, 0.5, 1}, Position{0.5, infinity, 0.5, 1},
                                  Position{0.5, 0.5, 2e15, 1}, Position{1e-14, 1e-14, 1e-14, 1e-14}}) {
    const auto image_with = [&](const Position& texel) {
      return made("odd one", 17, 9, true, [&](int x, int y) {
        return x == 5 && y == 4 ? texel : x == 16 && y == 8 ? light : Position{};
      });
    };
    const Image image = image_with(odd_one), filled = run("bleed", {image})[0];
    Image expected = run("bleed", {image_with({})})[0];
    expected.at(5, 4) = image.at(5, 4);
    for (size_t i = 0; i < filled.texels.size(); ++i)
      for (size_t c = 0; c < 4; ++c) {
        const double seen = filled.texels[i][c], wanted = expected.texels[i][c];
        CHECK((seen == wanted || (std::isnan(seen) && std::isnan(wanted))));
      }
  }
  // of such texels alone, nothing changes
  const Image light_only = made("light", 17, 9, true, [](int x, int y) { return Position{x * 0.1, y * 0.1, 1, 0}; });
  const Image nothing = made("nothing", 17, 9, true, [&](int x, int) {
    return Position{0, nan, 0, x == 3 ? 1.0 : 0.0};
  });
  check_near(run("bleed", {light_only})[0], light_only, "no visible texel", {0, 0});
  for (const Position& texel : run("bleed", {nothing})[0].texels) CHECK(std::isnan(texel[1]));
  // light of alpha 0 is replaced, NaN too; a negative, infinite or NaN alpha is visible
  for (const double alpha : {-0.5, infinity, nan}) {
    const double factor = alpha == -0.5 ? -0.5 : 1;
    const Image image = made("alpha", 5, 5, true, [&](int x, int y) {
      return x == 2 && y == 2 ? Position{0.5 * factor, 0.25 * factor, factor, alpha} : Position{nan, 7, -infinity, 0};
    });
    const Image filled = run("bleed", {image})[0];
    for (size_t i = 0; i < filled.texels.size(); ++i)
      if (i != 12) CHECK((filled.texels[i] == Position{0.5, 0.25, 1, 0}));
    CHECK(filled.at(2, 2)[1] == 0.25 * factor);
  }
}

DEVICE_TEST_CASE("mips --bleed makes the levels of mips, each filled by bleed") {
  for (const std::string words : {"mips", "mips --levels 1", "mips --coverage 0.5", "mips --filter kaiser",
                                  "mips --reduce max", "mips --method single-pass"})
    for (const Image& image : {islands(1, 1), islands(17, 9), islands(1, 37), islands(64, 48, 0.02)}) {
      const Images plain = run_levels(words, {image})[0], filled = run_levels(words + " --bleed", {image})[0];
      REQUIRE(filled.size() == plain.size());
      for (size_t level = 0; level < plain.size(); ++level)
        check_near(filled[level], bled(plain[level]), words + " --bleed", {1e-5, 1e-5});
    }
  for (const std::string words : {"", " --space yxy", " --storage fp16", " --coverage 0.4", " --filter lanczos3"})
    check_exit_code("mips --bleed --verify" + words, islands(257, 129, 0.03), 0);
  const Image odd = made("odd", 3, 2, true, [](int x, int y) {
    return x + y == 0 ? Position{std::nan(""), 1, 1, 0} : Position{0.5, 0.25, 1, x == 2 ? 0.0 : 1.0};
  });
  for (const std::string words : {"", " --coverage 0.5", " --fp16"})
    check_exit_code("mips --bleed --verify" + words, odd, 0);
}
