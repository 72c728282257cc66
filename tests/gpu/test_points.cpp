// Point ops: folded into other passes, together in one, or each in a pass of its own.
#include "core/base/error.h"
#include "core/op/parse.h"
#include "core/op/point.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace gpupost;
using namespace gpupost::test;

namespace {

std::vector<Call> six_points() {
  return {call_of("exposure", "--stops 0.5"),    call_of("contrast", "--factor 1.2"), call_of("offset", "--value 0.01"),
          call_of("saturation", "--factor 1.3"), call_of("gamma", "--value 1.1"),     call_of("clamp", "--max 4")};
}

}  // namespace

GPU_TEST_CASE("a chain of point ops is what the rows say one after the other, fused and not fused") {
  for (const bool fuses : {true, false})
    for (const Size size : {Size{257, 129}, Size{1, 1}, Size{17, 9}})
      for (const std::string_view name : {"noise", "ramp", "nonfinite"})
        for (const Kind kind : kinds) check_chain(gpu, six_points(), name, size, kind, {.fuses = fuses});
}

GPU_TEST_CASE("point ops before, between and behind other ops are what the rows say") {
  const std::vector<std::vector<Call>> chains{
      {call_of("blur", "--radius 3"), call_of("gamma", "--value 2"), call_of("offset", "--red 0.25")},
      {call_of("exposure", "--stops -1"), call_of("flip", "x"), call_of("matrix", "--named rec709-to-rec2020"),
       call_of("mips", "")},
      {call_of("saturation", "--factor 0.5"), call_of("blur", "--sigma 1"), call_of("contrast", "--factor 0.8"),
       call_of("resize", "--size 50%"), call_of("gain", "--red 2 --blue 0.5")}};
  for (const std::vector<Call>& chain : chains)
    for (const bool fuses : {true, false})
      for (const Kind kind : {kinds[0], kinds[1]}) check_chain(gpu, chain, "noise", {65, 33}, kind, {.fuses = fuses});
}

namespace {

// Light without alpha: 1 everywhere, all numbers from 0 up.
Level opaque_light(Size size) {
  Level level = pattern("noise", size, Depth::f32);
  const std::span<float> numbers = level.texels.as<float>();
  for (size_t index = 0; index < numbers.size(); ++index)
    numbers[index] = index % 4 == 3 ? 1 : std::abs(numbers[index]);
  return level;
}

std::vector<Call> two_blurs() {
  return {call_of("blur", "--radius 2"), call_of("exposure", "--stops 1"), call_of("blur", "--sigma 1 --border mirror"),
          call_of("gamma", "--value 1.25")};
}

// The same of `base`, as the definition has it and as the device makes it between images of this kind.
double worst_share(Gpu& gpu, const Level& base, Space between, bool packs) {
  const PlanInput input{.size = base.size, .storage = Depth::f32, .between = between, .is_r11g11b10_between = packs};
  const RunResult result = gpu.run(plan(two_blurs(), input, gpu.info().traits), base, 0);
  const Between kept{.is_yxy = between == Space::yxy, .is_packed = packs};
  return verify(two_blurs(), base, result.levels, 0, Depth::f32, kept)[0].share;
}

}  // namespace

GPU_TEST_CASE("pictures between two ops may be Yxy, or of 11:11:10 bits, and lose what those lose and no more") {
  const Level base = opaque_light({257, 129});
  CHECK(worst_share(gpu, base, Space::rgb, false) <= 1);
  CHECK(worst_share(gpu, base, Space::yxy, false) <= 1);
  if (!gpu.info().traits.has_packed_floats) return skip("the device has no packed floats");
  CHECK(worst_share(gpu, base, Space::rgb, true) <= 1);
  CHECK(worst_share(gpu, base, Space::yxy, true) <= 1);
}

namespace {

// Colors over 16 stops from left to right, without alpha.
Level sixteen_stops(Size size) {
  Level level{size, TexelBuffer(texel_count(size) * 16)};
  for (size_t texel = 0; texel < texel_count(size); ++texel) {
    const int x = int(texel) % size.width, y = int(texel) / size.width;
    const float light = std::exp2(16.0f * float(x) / float(size.width) - 8.0f);
    const float color[] = {light, light * float(1 + y % 7) / 7, light * float(1 + y % 5) / 5, 1};
    std::copy_n(color, 4, level.texels.as<float>().data() + 4 * texel);
  }
  return level;
}

std::vector<double> luminances(const Level& level) {
  const std::vector<double> numbers = numbers_of(level, Depth::f32);
  std::vector<double> result;
  for (size_t index = 0; index < numbers.size(); index += 4)
    result.push_back(luminance_of({numbers[index], numbers[index + 1], numbers[index + 2], 1}));
  return result;
}

}  // namespace

GPU_TEST_CASE(
    "11:11:10 bits behind two blurs leave the luminance within 2^-5 of itself, and 2^-8 where they are rounded") {
  if (!gpu.info().traits.has_packed_floats) return skip("the device has no packed floats");
  // a picture that is measured is stored, so that both blurs are
  const std::vector<Call> chain{call_of("blur", "--sigma 1"), call_of("blur", "--sigma 2"),
                                call_of("tonemap", "--curve reinhard --key 0.18")};
  const Level base = sixteen_stops({257, 33});
  const auto made = [&](Space between, bool packs) {
    const PlanInput input{.size = base.size, .storage = Depth::f32, .between = between, .is_r11g11b10_between = packs};
    return luminances(gpu.run(plan(chain, input, gpu.info().traits), base, 0).levels[0]);
  };
  const bool rounds = gpu.info().traits.type == DeviceType::cpu;
  const std::vector<double> expected = made(Space::rgb, false);
  for (const Space between : {Space::rgb, Space::yxy}) {
    const std::vector<double> found = made(between, true);
    double worst = 0, sum = 0;
    for (size_t index = 0; index < found.size(); ++index) {
      const double error = std::abs(found[index] / expected[index] - 1);
      worst = std::max(worst, error);
      sum += error;
    }
    const double mean = sum / double(found.size());
    // each of two stores is off by half a step of six bits where the device rounds, by a whole one where it cuts off
    CHECK(worst < 0x1p-5);
    CHECK(mean < (rounds ? 0x1p-8 : 0x1p-6));
    CHECK(mean > 0x1p-11);  // it has lost something
  }
}

GPU_TEST_CASE("what 11:11:10 bits cannot hold is refused: negative numbers, and alpha") {
  if (!gpu.info().traits.has_packed_floats) return skip("the device has no packed floats");
  const std::pair<size_t, float> misfits[] = {{4 * 40 + 1, -8.0f}, {4 * 7 + 3, 0.5f}};
  for (const auto& [index, number] : misfits) {
    Level base = opaque_light({17, 9});
    base.texels.as<float>()[index] = number;
    const PlanInput input{.size = base.size, .storage = Depth::f32, .is_r11g11b10_between = true};
    const std::vector<Call> calls{call_of("flip", "x"), call_of("flip", "y")};
    const Plan made = plan(calls, input, gpu.info().traits);
    CHECK_THROWS_WITH_AS(check_guards(made, gpu.run(made, base, 0).statistics),
                         "--storage r11g11b10 holds neither negative values nor alpha; flip makes 1 texels that have "
                         "them; use --storage fp16 or fp32",
                         Error);
  }
}

GPU_TEST_CASE("nan --policy error counts the texels that are no numbers") {
  Level base = opaque_light({33, 20});
  const Call call = call_of("nan", "--policy error");
  const Plan made = plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits);
  check_guards(made, gpu.run(made, base, 0).statistics);
  base.texels.as<float>()[4] = std::numeric_limits<float>::quiet_NaN();
  base.texels.as<float>()[4 * 77 + 2] = -std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH_AS(check_guards(made, gpu.run(made, base, 0).statistics),
                       doctest::Contains("nan: number of texels with NaN or infinite values: 2;"), Error);
}

GPU_TEST_CASE("more numbers than can be pushed go through the table") {
  const std::vector<Call> chain{call_of("matrix", "--rows 1,0,0,0.25,0,1,0,0,0,0,1,-0.125"),
                                call_of("matrix", "--named rec709-to-xyz"), call_of("exposure", "--stops 1"),
                                call_of("matrix", "--rows 0.5,0.3,0.2,0,1,0,0.1,0,0.9")};
  const Plan made = plan(chain, {.size = {17, 9}}, gpu.info().traits);
  REQUIRE(made.passes.size() == 1);
  CHECK(!made.passes[0].table.empty());
  check_chain(gpu, chain, "noise", {17, 9}, kinds[0]);
}

GPU_TEST_CASE("light that has no alpha keeps what point ops on straight color make of it") {
  Level base{{1, 1}, TexelBuffer(16)};
  const float glow[] = {0.25f, 0.5f, 4.0f, 0.0f};
  std::copy_n(glow, 4, base.texels.as<float>().data());
  const Call call = call_of("gamma", "--value 2");
  const Plan plan_of_call = plan({&call, 1}, {.size = {1, 1}, .storage = Depth::f32}, gpu.info().traits);
  const std::vector<Level> levels = gpu.run(plan_of_call, base, 0).levels;
  const float expected[] = {0.5f, 0.70710678f, 2.0f, 0.0f};
  for (size_t c = 0; c < 4; ++c)
    CHECK(levels[0].texels.as<float>()[c] == doctest::Approx(double(expected[c])).epsilon(1e-5));
}

GPU_TEST_CASE("powers of finite light are finite, so that half storage clamps them") {
  for (const Call& call : {call_of("contrast", "--factor 16"), call_of("gamma", "--value 0.05"),
                           call_of("grade", "--power 30"), call_of("grade", "--power 30 --saturation 16")}) {
    const std::vector<Call> chain{call_of("exposure", "--stops 12"), call};
    for (const Space between : {Space::rgb, Space::yxy})
      for (const Kind kind : {kinds[0], kinds[1]})
        check_chain(gpu, chain, "light", {65, 33}, kind, {.between = between});
    Planes planes = planes_of(pattern("light", {65, 33}, Depth::f32), Depth::f32);
    for (const Call& each : chain) planes = each.op->reference.levels(each, planes)[0];
    for (const Plane& plane : planes)
      CHECK(std::ranges::all_of(plane.values, [](double value) { return std::isfinite(float(value)); }));
  }
}

GPU_TEST_CASE("contrast is right for large factors with pivots far from 1") {
  for (const std::string_view words : {"--factor 16 --pivot 0.001", "--factor 16 --pivot 1000",
                                       "--factor 0.01 --pivot 1000", "--factor 0.5 --pivot 0.0001"})
    check_call(gpu, call_of("contrast", words), "light", {65, 33}, kinds[0]);
}
