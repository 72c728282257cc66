// Gaussians on a coarser grid: how near their kernel comes to the gaussian, in double and without a device.
#include "core/ops/blur/spline.h"

#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

using namespace gpupost;

namespace {

// The weights of source texels in a texel of the result, by their distance; composed of all three steps.
std::map<int, double> kernel_at(const SplineGrid& grid, int texel) {
  const std::vector<double> blur = grid.cell_weights();
  std::map<int, double> cells, kernel;
  for (int k = 0; k < 4; ++k)
    for (int j = -grid.radius(); j <= grid.radius(); ++j)
      cells[grid.cell_before(texel) - 1 + k + j] += grid.weights(texel)[size_t(k)] * blur[size_t(j + grid.radius())];
  const int first = grid.first_texel(cells.begin()->first - 2), end = grid.first_texel(cells.rbegin()->first + 2);
  const std::vector<std::array<double, 4>> reductions = grid.reductions(first, end - first);
  for (const auto& [cell, weight] : cells)
    for (int interval = cell - 2; interval <= cell + 1; ++interval)
      for (int source = grid.first_texel(interval); source < grid.first_texel(interval + 1); ++source)
        kernel[source - texel] += weight * reductions[size_t(source - first)][size_t(cell + 1 - interval)];
  return kernel;
}

struct Gaussian {
  double sigma = 0, sum = 0;

  explicit Gaussian(double s) : sigma(s) {
    for (int k = -int(8 * s); k <= int(8 * s); ++k) sum += std::exp(-double(k) * k / (2 * s * s));
  }
  double operator()(int k) const { return std::exp(-double(k) * k / (2 * sigma * sigma)) / sum; }
};

struct Axis {
  double sigma;
  int side;
};
constexpr Axis axes[] = {{5, 2048},   {5, 2047},   {5, 17},     {5.01, 1000}, {6.3, 1001}, {7.4, 512}, {10, 333},
                         {40, 2048},  {79, 4096},  {81, 4097},  {100, 64},    {300, 8191}, {300, 257}, {300, 17},
                         {341, 1},    {5, 1},      {12, 30},    {12, 31},     {5, 3},      {5, 7},     {4.01, 17},
                         {4.01, 999}, {4.1, 2048}, {4.3, 1001}, {4.5, 333},   {4.77, 77},  {4.99, 512}};

}  // namespace

TEST_CASE(
    "splines: at every place in a cell the kernel is within its bounds of the gaussian, with its mass and middle") {
  for (const auto& [sigma, side] : axes) {
    CAPTURE(sigma);
    CAPTURE(side);
    const SplineGrid grid(sigma, side, Border::mirror);
    const Gaussian gaussian(sigma);
    for (int texel = 0; texel < side; texel += 1 + side / 61) {
      const std::map<int, double> kernel = kernel_at(grid, texel);
      double mass = 0, centroid = 0, step = 0, step_error = 0, error = 0, total = 0;
      for (const auto& [distance, weight] : kernel) {
        CHECK(weight > 0);
        const double off = weight - gaussian(distance);
        mass += weight;
        centroid += weight * distance;
        error = std::max(error, std::abs(off));
        total += std::abs(off);
        step_error = std::max(step_error, std::abs(step += off));
      }
      CHECK(mass == doctest::Approx(1).epsilon(1e-12));
      CHECK(std::abs(centroid) < 5e-4);
      CHECK(error < spline_weight_error * gaussian(0));
      CHECK(total < spline_total_error);
      CHECK(step_error < 1e-4);  // of one axis; both together 2e-4
    }
  }
}

TEST_CASE("splines: the texels that a texel depends on are the ones that its kernel has, and none beyond reach()") {
  for (const auto& [sigma, side] : axes) {
    const SplineGrid grid(sigma, side);
    for (const int texel : {0, side / 2, side - 1, -3 * side, 2 * side}) {
      const std::map<int, double> kernel = kernel_at(grid, texel);
      const auto [first, last] = grid.reached(texel);
      CHECK(kernel.begin()->first == first - texel);
      CHECK(kernel.rbegin()->first == last - texel);
      CHECK(texel - first <= grid.reach());
      CHECK(last - texel <= grid.reach());
      CHECK(grid.reach() < 6 * sigma + 2);
    }
  }
}

TEST_CASE("splines: cells repeat with the picture, and enclose each texel") {
  for (const auto& [sigma, side] : axes) {
    const SplineGrid grid(sigma, side);
    for (const int texel : {0, 1, side / 3, side - 1}) {
      const int cell = grid.cell_before(texel);
      CHECK(grid.cell_before(texel + grid.length()) == cell + grid.cells());
      CHECK(grid.weights(texel + grid.length()) == grid.weights(texel));
      CHECK(grid.first_texel(cell) <= texel);
      CHECK(grid.first_texel(cell + 1) > texel);
      // from the other end the same cells
      const std::array<double, 4> weights = grid.weights(texel), mirrored = grid.weights(grid.length() - 1 - texel);
      if (weights[3] > 1e-12)
        for (size_t k = 0; k < 4; ++k) CHECK(weights[k] == doctest::Approx(mirrored[3 - k]).epsilon(1e-9));
    }
  }
}

TEST_CASE("splines: a picture that repeats has cells that parts can begin at, and they are as near to the gaussian") {
  for (const auto& [sigma, side] : axes) {
    const SplineGrid grid(sigma, side, Border::repeat);
    if (side > 300) CHECK(grid.cells() % cell_alignment == 0);
    CHECK(grid.cells() >= SplineGrid(sigma, side).cells());
    const Gaussian gaussian(sigma);
    for (const auto& [distance, weight] : kernel_at(grid, side / 2))
      CHECK(std::abs(weight - gaussian(distance)) < spline_weight_error * gaussian(0));
  }
}

TEST_CASE("splines: what a picture of ones is without a border is near the gaussian's share of its texels") {
  for (const auto& [sigma, side] : axes) {
    const std::vector<double> ones = SplineGrid(sigma, side).blurred_ones();
    const Gaussian gaussian(sigma);
    for (int texel = 0; texel < side; texel += 1 + side / 31) {
      double share = 0;
      for (int k = -texel; k < side - texel; ++k) share += gaussian(k);
      CHECK(std::abs(ones[size_t(texel)] - share) < std::min(2e-4, spline_weight_error * gaussian(0) * side));
    }
  }
}

TEST_CASE("auto takes splines from a sigma of 5 on, wherever nothing else is asked for") {
  const auto choice = [](std::string_view words) {
    const Call call = parse_call(*op_named("blur"), words);
    return plan({&call, 1}, {.size = {640, 360}}, DeviceTraits{}).choices;
  };
  const auto is_spline = [&](std::string_view words) { return choice(words).front().starts_with("blur: spline"); };
  for (const std::string_view words : {"--sigma 5", "--sigma 300", "--sigma 5 --method spline", "--sigma 9 --axis x"})
    CHECK_MESSAGE(is_spline(words), words);
  for (const std::string_view words : {"--sigma 4", "--radius 300", "--kernel gaussian --radius 300",
                                       "--sigma 9 --radius 30", "--sigma 9 --method lines", "--sigma 9 --order z"})
    CHECK_MESSAGE(!is_spline(words), words);
  CHECK(choice("--sigma 9").at(1).find("1e-3 of the kernel's middle weight and 2e-4 of a step") != std::string::npos);
}
