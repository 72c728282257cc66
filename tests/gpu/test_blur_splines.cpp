// Gaussians on a coarser grid, on the device: against the gaussian, and what any blur keeps.
#include "core/engine/floors.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr std::string_view borders[] = {"clamp", "repeat", "mirror", "black", "renormalize"};

Level made(Size size, const std::function<float(int x, int y)>& number) {
  Level level{size, TexelBuffer(texel_count(size) * 16)};
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (size_t component = 0; component < 4; ++component)
        level.texels.as<float>()[4 * (size_t(y) * size_t(size.width) + size_t(x)) + component] = number(x, y);
  return level;
}

// The first component of a blur.
std::vector<double> blurred(Gpu& gpu, const std::string& words, const Level& base) {
  const Call call = call_of("blur", words);
  const Plan made_plan = plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits);
  const std::vector<double> numbers = numbers_of(gpu.run(made_plan, base, 0).levels[0], Depth::f32);
  std::vector<double> first;
  for (size_t index = 0; index < numbers.size(); index += 4) first.push_back(numbers[index]);
  return first;
}

double gaussian(double x, double sigma) {
  return std::exp(-x * x / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * std::numbers::pi));
}

float noise_at(int x, int y) { return float((x * 7919 + y * 104729 + x * y * 31) % 1009) / 1009; }

}  // namespace

GPU_TEST_CASE("splines: every border, sides of every kind, and numbers that are hard") {
  struct Case {
    double sigma;
    Size size;
  };
  constexpr Case cases[] = {{5, {17, 9}},    {5.3, {129, 65}}, {12, {35, 150}},
                            {300, {21, 34}}, {60, {1, 90}},    {7, {90, 1}}};
  int turn = 0;
  for (const auto& [sigma, size] : cases)
    for (const std::string_view border : borders) {
      const Call call = call_of("blur", fmt::format("--sigma {} --border {}", sigma, border));
      for (const std::string_view pattern : {"noise", "nonfinite", "huge"})
        check_call(gpu, call, pattern, size, kinds[turn++ % 2]);
    }
  for (const std::string_view axis : {"x", "y"})
    for (const std::string_view border : borders)
      check_call(gpu, call_of("blur", fmt::format("--sigma 8 --axis {} --border {}", axis, border)), "nonfinite",
                 {67, 61}, kinds[0]);
  check_call(gpu, call_of("blur", "--sigma 6 --passes 2"), "nonfinite", {67, 35}, kinds[1]);
  check_call(gpu, call_of("blur", "--sigma 300"), "noise", {1, 1}, kinds[0]);
}

GPU_TEST_CASE(
    "splines as a GPU takes them: at edges of workgroups, segments and intervals, with and without exchange") {
  struct Case {
    double sigma;
    Size size;
    Depth depth;
    bool reduces_both;  // in one pass: cells have at most 14 texels along both axes
  };
  constexpr Case cases[] = {
      {5, {129, 41}, Depth::half, true},  {5.3, {257, 65}, Depth::f32, true},  {9.9, {131, 300}, Depth::half, true},
      {16, {400, 31}, Depth::half, true}, {75, {300, 257}, Depth::f32, false}, {300, {1, 190}, Depth::half, false},
      {6, {520, 40}, Depth::u8, true},    {19, {31, 700}, Depth::half, true},  {30, {190, 170}, Depth::half, false}};
  for (size_t index = 0; index < std::size(cases); ++index)
    for (const std::string_view name : {"noise", "nonfinite", "huge"}) {
      const auto& [sigma, size, depth, reduces_both] = cases[index];
      if (depth == Depth::u8 && name != std::string_view("noise")) continue;  // bytes hold no others
      const Call call = call_of("blur", fmt::format("--sigma {} --border {}", sigma, borders[index % 5]));
      DeviceTraits traits = as_gpu(gpu);
      if (index % 4 == 3) traits.subgroup.has_shuffle = false;
      const Plan made = plan({&call, 1}, {.size = size, .storage = depth}, traits);
      const bool has_lines = made.passes[made.passes.size() - 2].kernel.starts_with("blur/line_");  // two for the cells
      CHECK(made.passes.size() == size_t(reduces_both ? 3 : 4) + has_lines);
      CHECK(made.passes.front().kernel ==
            (reduces_both ? "blur/spline_reduce_both.glsl" : "blur/spline_reduce_columns.glsl"));
      CHECK(made.passes.back().kernel == "blur/spline_enlarge_tile.glsl");
      CHECK((made.passes.back().arithmetic.subgroup_size > 0) == traits.subgroup.has_shuffle);
      const Level base = depth == Depth::u8 ? gpupost::noise(size, depth) : pattern(name, size, depth);
      const LevelCheck found = verify({&call, 1}, base, gpu.run(made, base, 0).levels, 0, depth).front();
      CHECK_MESSAGE(found.share <= 1, call.text(), " of ", name, " ", size.width, "x", size.height, " ", name_of(depth),
                    ": ", describe(found));
    }
}

GPU_TEST_CASE("splines as a GPU takes them: many cells are blurred in one dispatch") {
  constexpr Size size{218, 10240};
  if (size.height > gpu.info().traits.max_image_side) return skip("the device has small images");
  const Level base = pattern("nonfinite", size, Depth::half);
  const Call call = call_of("blur", "--sigma 5 --border renormalize");
  const Plan made = plan({&call, 1}, {.size = size, .storage = Depth::half}, as_gpu(gpu));
  REQUIRE(made.passes.size() == 3);
  CHECK(made.passes[1].kernel == "blur/strip_taps.glsl");
  const LevelCheck found = verify({&call, 1}, base, gpu.run(made, base, 0).levels, 0, Depth::half).front();
  CHECK_MESSAGE(found.share <= 1, describe(found));
}

GPU_TEST_CASE("splines as a GPU takes them: an infinity reaches no texel that the definition leaves finite") {
  for (const auto& [sigma, size] : {std::pair(7, Size{90, 1}), std::pair(5, Size{90, 70}), std::pair(10, Size{100, 1})})
    for (const std::string_view border : borders) {
      if (size.height == 1 && border != "clamp" && border != "repeat" && !is_thorough()) continue;
      const Call call = call_of("blur", fmt::format("--sigma {} --border {}", sigma, border));
      const Plan made = plan({&call, 1}, {.size = size, .storage = Depth::half}, as_gpu(gpu));
      const Level base = pattern("nonfinite", size, Depth::half);
      const LevelCheck found = verify({&call, 1}, base, gpu.run(made, base, 0).levels, 0, Depth::half).front();
      CHECK_MESSAGE(found.share <= 1, call.text(), " of ", size.width, "x", size.height, ": ", describe(found));
    }
}

GPU_TEST_CASE("splines: a huge texel where only the ends of their kernel reach it is no error") {
  const Call call = call_of("blur", "--sigma 40 --axis x");
  const Level base = made({600, 24}, [](int x, int y) { return x == y ? 3e38f : 0.0f; });
  const Plan made_plan = plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits);
  const LevelCheck found = verify({&call, 1}, base, gpu.run(made_plan, base, 0).levels, 0, Depth::f32).front();
  CHECK_MESSAGE(found.share <= 1, describe(found));
}

GPU_TEST_CASE("splines: an impulse at every place in a cell keeps its mass, its place and its shape; a step is one") {
  for (const double sigma : {5.0, 6.3, 10.7, 33.3}) {
    CAPTURE(sigma);
    const Size size{int(14 * sigma) + 33, 25};
    const int first = size.width / 2 - 12;
    const auto at = [&](const std::vector<double>& values, int x, int y) {
      return values[size_t(y) * size_t(size.width) + size_t(x)];
    };
    const std::string words = fmt::format("--sigma {} --axis x", sigma);
    const auto impulses = blurred(gpu, words, made(size, [&](int x, int y) { return x == first + y ? 1.f : 0.f; }));
    const auto steps = blurred(gpu, words, made(size, [&](int x, int y) { return x > first + y ? 1.f : 0.f; }));
    for (int y = 0; y < size.height; ++y) {
      double mass = 0, centroid = 0, step = 0;  // of a gaussian, up to the texel
      for (int x = 0; x < size.width; ++x) {
        const double weight = at(impulses, x, y), distance = x - first - y;
        CHECK(weight >= 0);
        mass += weight;
        centroid += weight * distance;
        CHECK(std::abs(weight - gaussian(distance, sigma)) < 5e-4 * gaussian(0, sigma));
        step += gaussian(distance - 1, sigma);
        CHECK(std::abs(at(steps, x, y) - step) < 1e-4);
      }
      CHECK(std::abs(mass - 1) < 1e-4);
      CHECK(std::abs(centroid) < 5e-4);
    }
  }
}

GPU_TEST_CASE("splines: along both axes an impulse is within 1e-3 of the middle, wherever it lies") {
  for (const double sigma : {5.0, 7.7}) {
    const int side = int(13 * sigma);
    for (int place = 0; place < 4; ++place) {
      const int at_x = side / 2 + place, at_y = side / 2 + 2 * place;
      const auto found = blurred(gpu, fmt::format("--sigma {}", sigma),
                                 made({side, side}, [&](int x, int y) { return x == at_x && y == at_y ? 1.f : 0.f; }));
      double error = 0;
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
          error = std::max(
              error, std::abs(found[size_t(y * side + x)] - gaussian(x - at_x, sigma) * gaussian(y - at_y, sigma)));
      CHECK(error < 1e-3 * gaussian(0, sigma) * gaussian(0, sigma));
    }
  }
}

GPU_TEST_CASE(
    "splines: a constant stays one, no light turns negative, and a mirrored picture is blurred like the picture") {
  constexpr Size size{83, 59};
  for (const double sigma : {5.0, 17.3, 300.0})
    for (const std::string_view border : borders) {
      const std::string words = fmt::format("--sigma {} --border {}", sigma, border);
      CAPTURE(words);
      if (border != "black")
        for (const double value : blurred(gpu, words, made(size, [](int, int) { return 0.7f; })))
          CHECK(value == doctest::Approx(0.7f).epsilon(2e-6));
      const auto found = blurred(gpu, words, made(size, noise_at));
      const auto turned = blurred(
          gpu, words, made(size, [&](int x, int y) { return noise_at(size.width - 1 - x, size.height - 1 - y); }));
      for (size_t index = 0; index < found.size(); ++index) {
        CHECK(found[index] >= 0);
        // not exactly: a texel in the middle of a cell has two more cells on one side and one on the other
        CHECK(found[index] == doctest::Approx(turned[found.size() - 1 - index]).epsilon(2e-5));
      }
    }
}
