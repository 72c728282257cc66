// denoise, held against the equation of Dammertz et al., and on a made-up render with noise.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace definitions;

namespace {

constexpr double spline[] = {1 / 16.0, 1 / 4.0, 3 / 8.0, 1 / 4.0, 1 / 16.0};

struct Feature {
  Image image;
  double range;
};

double square_of(const Position& a, const Position& b) {
  double sum = 0;
  for (size_t k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

// Straight light in R, G and B, weighted by alpha.
Image smoothed(const Image& light, const std::vector<Feature>& features, double range, int spacing) {
  Image made = light;
  for (int y = 0; y < light.height; ++y)
    for (int x = 0; x < light.width; ++x) {
      Position sum{};
      double weights = 0;
      for (int row = -2; row <= 2; ++row)
        for (int column = -2; column <= 2; ++column) {
          const int from_x = x + spacing * column, from_y = y + spacing * row;
          if (from_x < 0 || from_y < 0 || from_x >= light.width || from_y >= light.height) continue;
          const Position& neighbor = light.at(from_x, from_y);
          double weight = spline[row + 2] * spline[column + 2] * neighbor[3];
          for (const Feature& feature : features)
            weight *= std::exp(-square_of(feature.image.at(from_x, from_y), feature.image.at(x, y)) /
                               (2 * feature.range * feature.range));
          if (range > 0) weight *= std::exp(-square_of(neighbor, light.at(x, y)) / (2 * range * range));
          weights += weight;
          for (size_t k = 0; k < 3; ++k) sum[k] += weight * neighbor[k];
        }
      for (size_t k = 0; k < 3 && weights > 0 && light.at(x, y)[3] > 0; ++k) made.at(x, y)[k] = sum[k] / weights;
    }
  return made;
}

Image denoised(const Image& image, const Image* albedo, const std::vector<Feature>& features, double range,
               int passes) {
  const auto divisor = [&](size_t at, size_t k) { return albedo ? std::max(0.01, albedo->texels[at][k]) : 1; };
  Image light = image;
  for (size_t at = 0; at < light.texels.size(); ++at)
    for (size_t k = 0; k < 3; ++k) {
      const double alpha = image.texels[at][3];
      light.texels[at][k] = alpha == 0 ? 0 : image.texels[at][k] / alpha / divisor(at, k);
    }
  for (int pass = 0; pass < passes; ++pass) light = smoothed(light, features, range, 1 << pass);
  Image made = image;
  for (size_t at = 0; at < light.texels.size(); ++at)
    for (size_t k = 0; k < 3; ++k) made.texels[at][k] = light.texels[at][k] * divisor(at, k) * image.texels[at][3];
  return made;
}

Image albedo_like(const Image& image) {
  return made("albedo", image.width, image.height, false, [](int x, int y) {
    return Position{0.3 * noise(x / 2, y / 2, 0, 7), 0.5, 0.2 + 0.1 * noise(x, y, 2, 7), 1};
  });
}
Image normals_like(const Image& image) {
  return made("normals", image.width, image.height, false, [](int x, int y) {
    const double angle = 0.2 * x + 0.5 * noise(x / 5, y / 5, 1, 8);
    return Position{std::sin(angle), 0, std::cos(angle), 1};
  });
}

// A render of two walls that meet at column 48, with tiles as albedo.
struct Render {
  Image clean, noisy, albedo, normals;
};

Render made_render() {
  const auto is_left = [](int x) { return x < 48; };
  const auto albedo = [](int x, int y) {
    const double tile = (x / 4 + y / 4) % 2 ? 0.8 : 0.2;
    return Position{tile, 0.5 * tile, 0.1 + 0.5 * tile, 1};
  };
  const auto lit = [&](double sparkle, int x, int y) {
    Position c = albedo(x, y);
    const double light = (is_left(x) ? 2 : 0.4) * (1 + 0.3 * y / 64) * sparkle;
    for (size_t k = 0; k < 3; ++k) c[k] *= light;
    return c;
  };
  return {.clean = made("clean", 96, 64, false, [&](int x, int y) { return lit(1, x, y); }),
          .noisy = made("noisy", 96, 64, false, [&](int x, int y) { return lit(0.25 + 1.5 * noise(x, y, 0), x, y); }),
          .albedo = made("albedo", 96, 64, false, albedo),
          .normals = made("normals", 96, 64, false, [&](int x, int) {
            return is_left(x) ? Position{0, 0, 1, 1} : Position{-1, 0, 0, 1};
          })};
}

// In dB; of the columns from `first` to `last`.
double psnr(const Image& image, const Image& clean, int first, int last) {
  double squares = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = first; x <= last; ++x) squares += square_of(image.at(x, y), clean.at(x, y));
  return -10 * std::log10(squares / (3.0 * image.height * (last - first + 1)));
}

}  // namespace

DEVICE_TEST_CASE("denoise makes what its equation says, with one feature or two") {
  for (const Image& input : {one(), odd(), wide(), holes(), column(), row()}) {
    const Image albedo = albedo_like(input), normals = normals_like(input);
    add_image("albedo.exr", albedo);
    add_image("normals.exr", normals);
    const auto check = [&](const char* line, const Image* divisor, const std::vector<Feature>& features, double range,
                           int passes) {
      check_near(run(line, {input})[0], denoised(input, divisor, features, range, passes), line, {1e-4, 1e-5});
    };
    check("denoise --albedo albedo.exr --normals normals.exr", &albedo, {{albedo, 0.1}, {normals, 0.2}}, 0, 3);
    check("denoise --albedo albedo.exr --albedo-range 0.03 --passes 2", &albedo, {{albedo, 0.03}}, 0, 2);
    check("denoise --normals normals.exr --normals-range 0.5 --range 2 --passes 4", nullptr, {{normals, 0.5}}, 2, 4);
  }
}

DEVICE_TEST_CASE("denoise takes noise from a render, and keeps its texture and the edge where two walls meet") {
  const Render render = made_render();
  add_image("albedo.exr", render.albedo);
  add_image("normals.exr", render.normals);
  const std::string line = "denoise --albedo albedo.exr --normals normals.exr --albedo-range 1";
  const Image result = run(line, {render.noisy})[0];
  const double before = psnr(render.noisy, render.clean, 0, 95), after = psnr(result, render.clean, 0, 95);
  CHECK_MESSAGE(after > before + 18, before, " dB, then ", after);
  // at the edge the light jumps by a factor of 5
  CHECK(psnr(result, render.clean, 46, 49) > psnr(render.noisy, render.clean, 46, 49) + 14);
  const Image blind = run("denoise --albedo albedo.exr --albedo-range 1", {render.noisy})[0];
  CHECK(psnr(blind, render.clean, 46, 49) < psnr(result, render.clean, 46, 49) - 10);
  // without noise only the gradient of the light moves
  CHECK(psnr(run(line, {render.clean})[0], render.clean, 0, 95) > 45);
}

DEVICE_TEST_CASE("denoise takes the straight color of an albedo that is partly transparent") {
  const Image input = holes();
  const Image albedo = albedo_like(input);
  Image soft = albedo;
  soft.has_alpha = true;
  for (int y = 0; y < soft.height; ++y)
    for (int x = 0; x < soft.width; ++x)
      for (double& value : soft.at(x, y)) value *= 0.1 + 0.8 * noise(x, y, 3, 7);
  add_image("albedo.exr", soft);
  check_near(run("denoise --albedo albedo.exr", {input})[0], denoised(input, &albedo, {{albedo, 0.1}}, 0, 3),
             "soft albedo", {1e-4, 1e-5});
  const Image lit = mapped(soft, [](const Position& c) { return Position{c[0] + 0.01 * c[3], c[1], c[2], c[3]}; });
  add_image("albedo.exr", lit);
  check_near(run("denoise --albedo albedo.exr", {lit}), {lit}, "constant light", {1e-6, 1e-6});
}

DEVICE_TEST_CASE("denoise keeps constants, tiles alike, and refuses what it cannot take") {
  const Image input = large();
  add_image("albedo.exr", albedo_like(input));
  add_image("normals.exr", normals_like(input));
  const Image albedo = mapped(albedo_like(input), [](const Position& c) {
    return Position{0.01 + c[0], c[1], c[2], c[3]};
  });
  add_image("albedo.exr", albedo);
  check_near(run("denoise --albedo albedo.exr", {albedo}), {albedo}, "constant light", {1e-6, 1e-6});
  const std::string line = "denoise --albedo albedo.exr --normals normals.exr --range 4";
  check_near(run(line + " --tile-side 64", {input}), run(line, {input}), "tiles", {0, 0});
  check_exit_code("denoise", input, 1);
  check_exit_code("denoise --albedo albedo.exr", odd(), 1);
  check_exit_code("denoise --albedo albedo.exr --normals-range 1", input, 1);
}
