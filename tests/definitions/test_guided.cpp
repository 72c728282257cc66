// guided, held against the equations of He, Sun and Tang, with sums over each window.
#include "tests/definitions/program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace definitions;

namespace {

struct Straight {
  Rgb color{}, guide{};
  double weight = 0;
};

// Planes of one window: channel c of the picture is near a[c] . guide + b[c].
struct Planes {
  std::array<Rgb, 3> a{};
  Rgb b{};
};

// Gaussian elimination; the pivots of a covariance with epsilon on its diagonal are positive.
Rgb solved(std::array<Rgb, 3> m, Rgb v) {
  for (size_t k = 0; k < 3; ++k)
    for (size_t row = k + 1; row < 3; ++row) {
      const double factor = m[row][k] / m[k][k];
      for (size_t column = k; column < 3; ++column) m[row][column] -= factor * m[k][column];
      v[row] -= factor * v[k];
    }
  for (size_t k = 3; k-- > 0;) {
    for (size_t column = k + 1; column < 3; ++column) v[k] -= m[k][column] * v[column];
    v[k] /= m[k][k];
  }
  return v;
}

template <class Visit>
void each_around(const Image& image, int x, int y, int radius, const Visit& visit) {
  for (int row = std::max(0, y - radius); row <= std::min(image.height - 1, y + radius); ++row)
    for (int column = std::max(0, x - radius); column <= std::min(image.width - 1, x + radius); ++column)
      visit(size_t(row) * size_t(image.width) + size_t(column));
}

Rgb straight(const Position& c) { return c[3] == 0 ? Rgb{} : Rgb{c[0] / c[3], c[1] / c[3], c[2] / c[3]}; }

Image guided(const Image& image, const Image& guide, int radius, double epsilon) {
  std::vector<Straight> texels;
  for (size_t at = 0; at < image.texels.size(); ++at)
    texels.push_back({straight(image.texels[at]), straight(guide.texels[at]), image.texels[at][3]});
  const auto planes_at = [&](int x, int y) {
    Rgb color{}, mean{};
    double weight = 0, square = 0;
    each_around(image, x, y, radius, [&](size_t at) {
      const Straight& t = texels[at];
      weight += t.weight;
      for (size_t k = 0; k < 3; ++k) {
        color[k] += t.weight * t.color[k];
        mean[k] += t.weight * t.guide[k];
        square += t.weight * t.guide[k] * t.guide[k];
      }
    });
    Planes made;
    if (weight == 0) return made;
    for (size_t k = 0; k < 3; ++k) color[k] /= weight, mean[k] /= weight;
    std::array<Rgb, 3> covariance{}, with_color{};
    each_around(image, x, y, radius, [&](size_t at) {
      const Straight& t = texels[at];
      for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 3; ++j) {
          covariance[i][j] += t.weight / weight * (t.guide[i] - mean[i]) * (t.guide[j] - mean[j]);
          with_color[i][j] += t.weight / weight * (t.color[i] - color[i]) * (t.guide[j] - mean[j]);
        }
    });
    // floats cannot resolve contrast below 1/256
    for (size_t k = 0; k < 3; ++k) covariance[k][k] += std::max(epsilon, square / weight / 65536);
    for (size_t c = 0; c < 3; ++c) {
      made.a[c] = solved(covariance, with_color[c]);
      made.b[c] = color[c] - made.a[c][0] * mean[0] - made.a[c][1] * mean[1] - made.a[c][2] * mean[2];
    }
    return made;
  };
  std::vector<Planes> planes;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) planes.push_back(planes_at(x, y));
  return made(image.name, image.width, image.height, image.has_alpha, [&](int x, int y) {
    const Position before = image.at(x, y);
    if (before[3] == 0) return before;
    const Straight& t = texels[size_t(y) * size_t(image.width) + size_t(x)];
    Rgb sum{};
    int count = 0;
    each_around(image, x, y, radius, [&](size_t at) {
      count += 1;
      for (size_t c = 0; c < 3; ++c) {
        sum[c] += planes[at].b[c];
        for (size_t k = 0; k < 3; ++k) sum[c] += planes[at].a[c][k] * t.guide[k];
      }
    });
    return Position{before[3] * sum[0] / count, before[3] * sum[1] / count, before[3] * sum[2] / count, before[3]};
  });
}

std::string numbered(const char* words, int radius, double epsilon) {
  return std::string(words) + " --radius " + std::to_string(radius) + " --epsilon " + std::to_string(epsilon);
}

Image opaque(const char* name, int width, int height, const std::function<Rgb(int, int)>& color) {
  return made(name, width, height, false, [&](int x, int y) {
    const Rgb c = color(x, y);
    return Position{c[0], c[1], c[2], 1};
  });
}

double distance(const Image& image, const Rgb& color, int x, int y) {
  double most = 0;
  for (size_t k = 0; k < 3; ++k) most = std::max(most, std::fabs(image.at(x, y)[k] - color[k]));
  return most;
}

}  // namespace

DEVICE_TEST_CASE("guided makes what its equations say, with the image or a second one as guide") {
  const Images inputs{one(), odd(), wide(), holes(), column(), row()};
  for (const auto& [radius, epsilon] : {std::pair{1, 0.0001}, {3, 0.04}, {9, 100.0}}) {
    const std::string line = numbered("guided", radius, epsilon);
    const Images results = run(line, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      check_near(results[i], guided(inputs[i], inputs[i], radius, epsilon), line, {1e-4, 1e-4});
    for (const Image& input : {odd(), wide(), holes()}) {
      const Image guide = made("guide", input.width, input.height, true, [](int x, int y) {
        const double alpha = (x + y) % 4 / 3.0;
        return Position{alpha * noise(x / 3, y, 0, 5), alpha * noise(x, y / 4, 1, 5), alpha * noise(x, y, 2, 5), alpha};
      });
      add_image("guide.exr", guide);
      check_near(run(line + " --guide guide.exr", {input})[0], guided(input, guide, radius, epsilon), line + " guide",
                 {1e-4, 1e-4});
    }
  }
}

DEVICE_TEST_CASE("guided: small and large epsilons, scaling, itself as guide, tiles") {
  const Images inputs{wide(), large()};
  check_near(run("guided --radius 3 --epsilon 1e-10", inputs), inputs, "epsilon 0", {0.01, 0.01});
  const Images smoothed = run("guided --radius 3 --epsilon 1e9", inputs);
  check_near(smoothed, run("blur --radius 3 --border renormalize --passes 2", inputs), "no edges", {1e-5, 1e-5});
  const Images plain = run("guided --radius 5 --epsilon 0.25", inputs);
  check_near(run("guided --radius 5 --epsilon 0.25 --tile-side 64", inputs), plain, "tiles", {0, 0});
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_near(run("guided --radius 5 --epsilon 16", {scaled(inputs[i], 8)})[0], scaled(plain[i], 8), "scaled", {0, 0});
    add_image("guide.exr", inputs[i]);
    check_near(run("guided --radius 5 --epsilon 0.25 --guide guide.exr", {inputs[i]})[0], plain[i], "itself",
               {1e-5, 1e-5});
  }
  add_image("small.exr", odd());
  check_exit_code("guided --guide small.exr", wide(), 1);
  check_exit_code("guided --guide missing.exr", wide(), 2);
  check_exit_code("guided --space yxy --verify", odd(), 0);
  check_exit_code("guided --storage r11g11b10 --verify", dim(), 0);
}

DEVICE_TEST_CASE("guided keeps constants and edges, also edges of one luminance, and smooths noise between them") {
  const Rgb left{0.6, 0.2, 0.3}, right{0.0, 0.37838926, 0.3};  // of the same luminance
  const Rgb bright{100, 50, 25};
  check_near(run("guided", {opaque("constant", 40, 20, [&](int, int) { return bright; })}),
             {opaque("constant", 40, 20, [&](int, int) { return bright; })}, "constant", {1e-5, 0});
  const Image noisy = opaque("edge", 60, 40, [&](int x, int y) {
    Rgb c = x < 30 ? left : right;
    for (size_t k = 0; k < 3; ++k) c[k] += 0.04 * (noise(x, y, int(k)) - 0.5);
    return c;
  });
  const Image made = run("guided --radius 5 --epsilon 0.002", {noisy})[0];
  double noise_before = 0, noise_after = 0, edge_after = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 60; ++x) {
      const Rgb wanted = x < 30 ? left : right;
      edge_after = std::max(edge_after, distance(made, wanted, x, y));
      if (x >= 18 && x < 42) continue;  // windows without the edge
      noise_before = std::max(noise_before, distance(noisy, wanted, x, y));
      noise_after = std::max(noise_after, distance(made, wanted, x, y));
    }
  CHECK(noise_before > 0.0195);
  CHECK(noise_after < 0.006);
  CHECK(edge_after < 0.03);
}

DEVICE_TEST_CASE("guided leaves out what is transparent, infinite or NaN, and gives transparent texels no light") {
  // one straight color under any alpha is flat
  const Image flat = made("flat", 40, 30, true, [](int x, int y) {
    const double alpha = noise(x / 4, y / 4, 3) < 0.4 ? 0 : noise(x, y, 3);
    return Position{0.5 * alpha, 0.25 * alpha, 2 * alpha, alpha};
  });
  check_near(run("guided --radius 4", {flat})[0], flat, "flat", {1e-5, 1e-6});
  const Image holed = made("hole", 30, 20, true, [](int x, int y) {
    const double light = x == 15 && y == 10 ? INFINITY : x == 3 && y == 4 ? NAN : 0.5;
    return Position{light, light, light, 1};
  });
  const Image result = run("guided --radius 4", {holed})[0];
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 30; ++x) {
      const double seen = result.at(x, y)[0], wanted = holed.at(x, y)[0];
      const bool is_same = std::isnan(wanted) ? std::isnan(seen) : seen == wanted || std::fabs(seen - wanted) < 1e-6;
      CHECK_MESSAGE(is_same, x, " ", y, ": ", seen);
    }
}
