// Bloom on the device: it is as the definition says, and its glow follows a star that moves.
#include "core/base/half.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <tuple>

using namespace gpupost;
using namespace gpupost::test;

static Level star_at(Size size, Position at) {
  return made_level(size, Depth::f32, 0, [&](int x, int y, size_t component, int) {
    return bits_of_float(component == 3 ? 1.0f : x == at.x && y == at.y ? 1001.0f : 0.0f);
  });
}

GPU_TEST_CASE("bloom is as its definition says at even sides, odd sides and sides of one texel") {
  size_t turn = 0;
  for (const Size size : {Size{64, 48}, Size{67, 41}, Size{66, 35}, Size{1, 1}, Size{1, 9}, Size{3, 2}, Size{7, 1}})
    for (const std::string_view example : op_named("bloom")->doc.examples)
      check_call(gpu, parse_call(*op_named("bloom"), example), "noise", size, kinds[turn++ % std::size(kinds)]);
}

GPU_TEST_CASE("the glow of a star ends where that of its definition does, at odd sides") {
  const std::tuple<Size, Position, std::string_view> stars[] = {{{1, 65}, {0, 39}, "--radius 8"},
                                                                {{177, 99}, {96, 62}, "--radius 16"}};
  for (const auto& [size, star, options] : stars) {
    const Call call = parse_call(*op_named("bloom"), options);
    const Plan made = plan({&call, 1}, {.size = size, .storage = Depth::f32}, gpu.info().traits);
    const Level base = star_at(size, star);
    const RunResult result = gpu.run(made, base, 0);
    const LevelCheck found = verify({&call, 1}, base, result.levels, 0, Depth::f32).front();
    CHECK_MESSAGE(found.share <= 1, describe(found));
  }
}

GPU_TEST_CASE("an infinite channel does not hide the error of others behind bloom, nor that of bright light near it") {
  const Size size{16, 16};
  const Level base = made_level(size, Depth::f32, 0, [&](int x, int y, size_t component, int) {
    const bool is_green = component == 1;
    if (is_green && x == 9 && y == 9) return bits_of_float(1e6f);
    if (is_green && x == 4 && y == 4) return bits_of_float(INFINITY);
    return bits_of_float(component == 3 ? 1.0f : 0.3f - 0.1f * float(component));
  });
  const Call calls[] = {parse_call(*op_named("bloom"), "--threshold 0.2 --radius 8"),
                        parse_call(*op_named("gain"), "--value 1.5")};
  const Plan made = plan(calls, {.size = size, .storage = Depth::f32}, gpu.info().traits);
  const RunResult result = gpu.run(made, base, 0);
  const LevelCheck found = verify(calls, base, result.levels, 0, Depth::f32).front();
  CHECK_MESSAGE(found.share <= 1, describe(found));
}

GPU_TEST_CASE("the centroid of a star's glow on the device is the star, for sixteen steps of a texel") {
  const Size size{128, 128};
  const Call call = parse_call(*op_named("bloom"), "--threshold 1 --radius 16 --intensity 1");
  for (int step = 0; step < 16; ++step) {
    const Position star{56 + step, 60 + step / 2};
    const Plan made = plan({&call, 1}, {.size = size, .storage = Depth::f32}, gpu.info().traits);
    const RunResult result = gpu.run(made, star_at(size, star), 0);
    const std::vector<double> numbers = numbers_of(result.levels[0], Depth::f32);
    double sum = 0, x = 0, y = 0;
    for (size_t texel = 0; texel < texel_count(size); ++texel) {
      const Position at{int(texel) % size.width, int(texel) / size.width};
      const double glow = numbers[4 * texel + 1] - (at == star ? 1001 : 0);
      sum += glow;
      x += glow * at.x;
      y += glow * at.y;
    }
    CHECK_MESSAGE(std::hypot(x / sum - star.x, y / sum - star.y) < 0.1, "star at ", star.x, ", ", star.y,
                  ", glow around ", x / sum, ", ", y / sum);
    CHECK(std::abs(sum - 1000) < 1);
  }
}
