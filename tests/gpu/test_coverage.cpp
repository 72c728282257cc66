// --coverage on the device: cut-out textures, on which the bisection has something to find.
#include "core/base/half.h"
#include "core/op/parse.h"
#include "core/ops/mips/coverage_reference.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Narrow blades with soft edges, a quarter of the picture, of one premultiplied color.
Level blades(Size size, Depth depth) {
  constexpr std::array color{0.25, 0.5, 0.125, 1.0};
  Level level{size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))};
  size_t index = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const double alpha =
          std::clamp(4 * (std::sin(0.9 * x + 0.35 * y + 3 * std::sin(0.11 * y)) - 0.75) + 0.5, 0.0, 1.0);
      for (const double component : color) {
        const auto value = float(component * alpha);
        if (depth == Depth::half) level.texels.as<uint16_t>()[index++] = half_from_float(value);
        else level.texels.as<float>()[index++] = value;
      }
    }
  return level;
}

Plane alpha_of(const Level& level, Depth depth) {
  const std::vector<double> numbers = numbers_of(level, depth);
  Plane alpha{.size = level.size, .values = {}};
  for (size_t index = 3; index < numbers.size(); index += 4) alpha.values.push_back(numbers[index]);
  return alpha;
}

std::vector<Level> levels_of(Gpu& gpu, const Call& call, const Level& base, Depth depth) {
  const PlanInput input{.size = base.size, .storage = depth};
  return gpu.run(plan({&call, 1}, input, gpu.info().traits), base, 1).levels;
}

}  // namespace

GPU_TEST_CASE("a cut-out texture keeps its coverage on the device, with every filter and depth") {
  const Size size{257, 130};
  for (const Depth depth : {Depth::f32, Depth::half})
    for (const std::string_view way : {"", "--method single-pass", "--filter kaiser --from-base"}) {
      const Level base = blades(size, depth);
      const double wanted = coverage_of(alpha_of(base, depth), 0.5);
      const std::string words(way);
      const std::vector<Level> plain = levels_of(gpu, parse_call(*op_named("mips"), words), base, depth);
      const std::vector<Level> kept =
          levels_of(gpu, parse_call(*op_named("mips"), words + " --coverage 0.5"), base, depth);
      for (size_t index = 1; index < 4; ++index) {
        CAPTURE(words);
        CAPTURE(index + 1);
        CHECK(coverage_of(alpha_of(plain[index], depth), 0.5) < 0.6 * wanted);
        CHECK(coverage_of(alpha_of(kept[index], depth), 0.5) == doctest::Approx(wanted).epsilon(0.05));
      }
    }
}

GPU_TEST_CASE("cut-out textures are what the definition says at sizes that go through every part of the counting") {
  // one texel a side, more than a workgroup's share in one direction or in both, and an edge just behind it
  const Size sizes[] = {{2, 1}, {1, 300}, {300, 1}, {65, 17}, {66, 18}, {131, 64}, {300, 200}};
  int turn = 0;
  for (const Size size : sizes)
    for (const std::string_view words : {"--coverage 0.5", "--coverage 0.9 --filter lanczos3", "--coverage 0.05"}) {
      const Depth depth = turn++ % 2 == 0 ? Depth::f32 : Depth::half;
      const Call call = parse_call(*op_named("mips"), words);
      const Level base = blades(size, depth);
      for (const LevelCheck& check : verify({&call, 1}, base, levels_of(gpu, call, base, depth), 1, depth))
        CHECK_MESSAGE(check.share <= 1, words, " on ", size.width, "x", size.height, " ", name_of(depth), ": ",
                      describe(check));
    }
}

GPU_TEST_CASE("a chain's picture is counted as the ops before have left it, and repeated runs count anew") {
  const std::vector<Call> calls{parse_call(*op_named("crop"), "--window 100x77+3+5"),
                                parse_call(*op_named("mips"), "--coverage 0.5")};
  const Level base = blades({130, 90}, Depth::f32);
  const Plan made = plan(calls, {.size = base.size, .storage = Depth::f32}, gpu.info().traits);
  const ImageSets sets = gpu.image_sets(made, base);
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const LevelCheck& check : verify(calls, base, gpu.run(made, sets, 0).levels, 0, Depth::f32))
      CHECK_MESSAGE(check.share <= 1, describe(check));
}

// Tiles make levels one by one, and so must the whole image, of which a GPU would make several in one dispatch.
GPU_TEST_CASE("in tiles, coverage is counted and alpha is scaled as in the whole image") {
  for (const Size size : {Size{257, 130}, {300, 200}, {1, 300}, {129, 64}}) {
    Gpu small = small_device(gpu, 96);
    for (const std::string_view words : {"--method per-level --coverage 0.5", "--coverage 0.9 --filter lanczos3",
                                         "--method per-level --coverage 0.05 --levels 3"})
      for (const Depth depth : {Depth::f32, Depth::half})
        for (const Space between : {Space::rgb, Space::yxy}) {
          const Call call = parse_call(*op_named("mips"), words);
          check_same(gpu, small, {&call, 1}, {.size = size, .storage = depth, .between = between}, blades(size, depth));
          if (size.width < 257) continue;
          const Call behind_others[] = {parse_call(*op_named("flip"), "x"), call};
          check_same(gpu, small, behind_others, {.size = size, .storage = depth, .between = between},
                     blades(size, depth));
        }
  }
}
