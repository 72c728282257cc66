// Every way of blurring against the definition: kernels, methods, borders, orders, radii and numbers that are hard.
#include "core/base/half.h"
#include "core/op/parse.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr std::string_view borders[] = {"clamp", "repeat", "mirror", "black", "renormalize"};

struct Way {
  std::string_view words;
  bool makes_gaussians = true;
  int largest = 1024;  // radius that is no trial of patience
};

constexpr Way ways[] = {{"--method direct", true, 31},
                        {"--method separable"},
                        {"--method shared", true, 100},
                        {"--method sliding", false},
                        {"--method lines"}};

Call blur_by(const Way& way, bool is_gaussian, int radius, std::string_view more) {
  const std::string_view kernel = is_gaussian ? "--kernel gaussian" : "";
  return call_of("blur", fmt::format("{} --radius {} {} {}", kernel, radius, way.words, more));
}

// A call held against its definition on patterns. Kernels and depths take turns, so that four turns meet each pair: to
// compile a pipeline takes a CPU longer than all that is done with it. Blurs have no half arithmetic.
void check(Gpu& gpu, int turn, const Way& way, int radius, std::string_view more, Size size,
           std::span<const std::string_view> patterns) {
  const Call call = blur_by(way, way.makes_gaussians && turn % 2 == 1, radius, more);
  if (!can_run(call, gpu.info().traits)) return;
  for (const std::string_view pattern : patterns) check_call(gpu, call, pattern, size, kinds[turn / 2 % 2]);
}

}  // namespace

GPU_TEST_CASE(
    "every method makes what the definition says, with every border, on a picture smaller than the kernel too") {
  const std::string_view patterns[] = {"nonfinite", "huge"};
  int turn = 0;
  for (const Way& way : ways)
    for (const std::string_view border : borders) {
      check(gpu, turn, way, turn / 4 % 2 == 0 ? 10 : 3, fmt::format("--border {}", border), {17, 9}, patterns);
      ++turn;
    }
}

GPU_TEST_CASE("a direct box as a GPU takes it: a constant near the largest float stays") {
  Level base{{67, 35}, TexelBuffer(size_t{67} * 35 * 16)};
  std::ranges::fill(base.texels.as<float>(), 3.2e38f);
  for (const int radius : {1, 5})
    for (const std::string_view border : {"clamp", "mirror"}) {
      const Call call = call_of("blur", fmt::format("--radius {} --method direct --border {}", radius, border));
      const Plan on_gpu = plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, as_gpu(gpu));
      const LevelCheck found = verify({&call, 1}, base, gpu.run(on_gpu, base, 0).levels, 0, Depth::f32).front();
      CHECK_MESSAGE(found.share <= 1, call.text(), ": ", describe(found));
    }
}

GPU_TEST_CASE("every order and workgroup makes the same blur, at sizes that no workgroup divides") {
  const std::string_view patterns[] = {"nonfinite"};
  int turn = 0;
  for (const Way& way : {Way{"--method direct"}, Way{"--method separable"}})
    for (const std::string_view order : {"rows", "z", "amd"})
      for (const std::string_view workgroup : {"8x8", "16x16", "32x8"})
        check(gpu, turn++, way, 3, fmt::format("--order {} --workgroup {}", order, workgroup), {67, 35}, patterns);
}

GPU_TEST_CASE("every radius is right, from none to many times the picture's side" * doctest::test_suite("thorough")) {
  const std::string_view patterns[] = {"noise"};
  int turn = 0;
  for (const Way& way : ways)
    for (const int radius : {0, 1, 2, 4, 5, 8, 12, 31, 1024})
      if (radius <= way.largest) {
        check(gpu, turn, way, radius, "--border mirror", {33, 20}, patterns);
        if (radius % 31 == 0) check(gpu, turn, way, radius, "--border clamp", {1, 70}, patterns);
        ++turn;
      }
}

GPU_TEST_CASE("what a device takes by itself is right, whatever the radius") {
  const std::string_view patterns[] = {"nonfinite"};
  int turn = 1;
  for (const int radius : {1, 3, 7, 31, 100})
    for (int kernel = 0; kernel < 2; ++kernel) check(gpu, turn++, {""}, radius, "", {67, 35}, patterns);
}

GPU_TEST_CASE("every method is right on a picture of many workgroups, on every pattern" *
              doctest::test_suite("thorough")) {
  const std::vector<std::string_view> patterns = pattern_names();
  const std::string_view hard[] = {"nonfinite"};
  int turn = 0;
  for (const Way& way : ways) {
    check(gpu, turn++, way, 7, "", {257, 129}, patterns);
    if (way.largest > 31) check(gpu, turn++, way, 31, "--border repeat", {257, 129}, hard);
    if (way.largest > 31) check(gpu, turn++, way, 31, "--border renormalize", {257, 129}, hard);
  }
}

GPU_TEST_CASE("along one axis a blur leaves the other as it is, and several passes are one behind the other") {
  const std::string_view patterns[] = {"nonfinite"};
  int turn = 0;
  for (const Way& way : ways)
    for (const std::string_view more : {"--axis x", "--axis y --border black", "--passes 3"})
      check(gpu, turn++, way, 2, more, {65, 33}, patterns);
}

namespace {

constexpr Size dark_size{97, 81};
constexpr Size sun{40, 37};

// A thousandth, more or less; with a sun of a million in one texel (in halves of 60,000) where there is one.
Level shadow(bool has_sun, Depth depth) {
  Level level = pattern("noise", dark_size, Depth::f32);
  for (float& value : level.texels.as<float>()) value = 1e-3f + 5e-4f * value;
  if (has_sun)
    for (size_t component = 0; component < 4; ++component)
      level.texels.as<float>()[4 * (size_t(sun.height) * dark_size.width + sun.width) + component] =
          depth == Depth::half ? 6e4f : 1e6f;
  if (depth == Depth::f32) return level;
  Level halves{dark_size, TexelBuffer(texel_count(dark_size) * 8)};
  for (size_t index = 0; index < 4 * texel_count(dark_size); ++index)
    halves.texels.as<uint16_t>()[index] = half_from_float(level.texels.as<float>()[index]);
  return halves;
}

// Takes the texels out of a comparison whose kernel holds the sun.
void forgive_sunlit(Expected& expected, int radius) {
  for (Plane& plane : expected.tolerance[0])
    for (int y = 0; y < dark_size.height; ++y)
      for (int x = 0; x < dark_size.width; ++x)
        if (std::abs(x - sun.width) <= radius && std::abs(y - sun.height) <= radius)
          plane.values[size_t(y) * dark_size.width + size_t(x)] = std::numeric_limits<double>::infinity();
}

}  // namespace

GPU_TEST_CASE("a sun of a million beside shadows of a thousandth loses no bit of them where no kernel holds it" *
              doctest::test_suite("thorough")) {
  for (const Depth depth : {Depth::f32, Depth::half})
    for (const Way& way : ways)
      for (const int radius : {15, 31})
        for (const bool is_gaussian : {false, true}) {
          if (radius > way.largest / 2 || (is_gaussian && !way.makes_gaussians)) continue;
          const Call call = blur_by(way, is_gaussian, radius, "");
          if (!can_run(call, gpu.info().traits)) continue;
          // what the same blur makes of the shadows alone
          Expected expected = expected_of({&call, 1}, shadow(false, depth), depth);
          forgive_sunlit(expected, radius);
          const Plan made = plan({&call, 1}, {.size = dark_size, .storage = depth}, gpu.info().traits);
          const RunResult result = gpu.run(made, shadow(true, depth), 0);
          for (const LevelCheck& check : verify(expected, result.levels, 0))
            CHECK_MESSAGE(check.share <= 1, call.text(), " ", name_of(depth), ": ", describe(check));
        }
}
