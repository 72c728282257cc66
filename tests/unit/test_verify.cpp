// The check of the device's results, on results that are planted.
#include "core/base/half.h"
#include "core/op/parse.h"
#include "core/op/point.h"
#include "core/ops/registry.h"
#include "core/ops/stats/reference.h"
#include "core/reference/verify.h"
#include "tests/support/patterns.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>

using namespace gpupost;
using namespace gpupost::test;

namespace {

Call mips() { return default_call(*op_named("mips")); }

void put(Level& level, Depth depth, size_t index, double value) {
  if (depth == Depth::half) level.texels.as<uint16_t>()[index] = half_from_float(float(value));
  else level.texels.as<float>()[index] = float(value);
}

// The levels of a chain's result as the definition has them, rounded to the depth.
std::vector<Level> right_levels(const Level& base, Depth depth, std::span<const Call> calls) {
  const std::vector<double> numbers = numbers_of(base, depth);
  std::vector<Planes> planes(1);
  for (size_t component = 0; component < 4; ++component) {
    planes[0][component].size = base.size;
    for (size_t texel = 0; texel < texel_count(base.size); ++texel)
      planes[0][component].values.push_back(numbers[4 * texel + component]);
  }
  for (const Call& call : calls) planes = call.op->reference.levels(call, std::move(planes[0]));
  std::vector<Level> levels;
  for (const Planes& level : planes) {
    Level& made =
        levels.emplace_back(Level{size_of(level), TexelBuffer(4 * texel_count(size_of(level)) * bytes_of(depth))});
    for (size_t component = 0; component < 4; ++component)
      for (size_t texel = 0; texel < level[component].values.size(); ++texel)
        put(made, depth, 4 * texel + component, level[component].values[texel]);
  }
  return levels;
}

// The levels behind the base, and their check.
std::vector<Level> right_mips(const Level& base, Depth depth) {
  const Call call = mips();
  std::vector<Level> levels = right_levels(base, depth, {&call, 1});
  levels.erase(levels.begin());
  return levels;
}

std::vector<LevelCheck> verify_mips(const Level& base, std::span<const Level> levels, Depth depth) {
  const Call call = mips();
  return verify({&call, 1}, base, levels, 1, depth);
}

// The reference's result for an image of one texel.
Color made_of(const Call& call, const Color& color) {
  Planes planes;
  for (size_t k = 0; k < 4; ++k) planes[k] = {.size = {1, 1}, .values = {color[k]}};
  return color_at(call.op->reference.levels(call, planes)[0], 0);
}

constexpr Size size{37, 21};

// The check of level 2 (9 x 5) after one number there was replaced.
LevelCheck check_of_planted(Depth depth, Size at, int component, double value) {
  const Level base = pattern("noise", size, depth);
  std::vector<Level> levels = right_mips(base, depth);
  put(levels[1], depth, 4 * (size_t(at.height) * 9 + size_t(at.width)) + size_t(component), value);
  const std::vector<LevelCheck> checks = verify_mips(base, levels, depth);
  for (const LevelCheck& check : checks) CHECK((check.level == 2 || check.share <= 1));
  return checks.at(1);
}

}  // namespace

TEST_CASE("levels as the definition has them pass, with room to spare") {
  for (const Depth depth : {Depth::f32, Depth::half})
    for (const std::string_view name : pattern_names())
      for (const Size each : awkward_sizes()) {
        const Level base = pattern(name, each, depth);
        const std::vector<LevelCheck> checks = verify_mips(base, right_mips(base, depth), depth);
        CHECK(int(checks.size()) == level_count_of(each) - 1);
        for (const LevelCheck& check : checks)
          CHECK_MESSAGE(check.share <= 1, name, " ", each.width, "x", each.height, ": ", describe(check));
      }
}

TEST_CASE("a planted error is found where it was planted") {
  for (const Depth depth : {Depth::f32, Depth::half})
    for (const auto& [at, component] : {std::pair{Size{0, 0}, 0}, {Size{8, 4}, 3}, {Size{4, 2}, 1}, {Size{8, 0}, 2}}) {
      const LevelCheck check = check_of_planted(depth, at, component, 40);
      CHECK(check.level == 2);
      CHECK(check.share > 1);
      CHECK(check.at == at);
      CHECK(check.component == component);
      CHECK(check.error == doctest::Approx(40).epsilon(0.05));
      const std::string place = fmt::format("level 2: largest error {:.3g} at ({}, {}), channel {}", check.error,
                                            at.width, at.height, "rgba"[component]);
      CHECK_MESSAGE(describe(check).starts_with(place), describe(check));
    }
}

TEST_CASE("an error of four roundings is found, one of half a rounding is not") {
  const Level base = pattern("constant", size, Depth::half);
  std::vector<Level> levels = right_mips(base, Depth::half);
  const double value = double(float_from_half(levels[0].texels.as<uint16_t>()[0]));
  put(levels[0], Depth::half, 0, value * (1 + 0.5 * 0x1p-11));
  CHECK(verify_mips(base, levels, Depth::half)[0].share <= 1);
  put(levels[0], Depth::half, 0, value * (1 + 8 * 0x1p-11));
  CHECK(verify_mips(base, levels, Depth::half)[0].share > 1);
}

TEST_CASE("no number, or an infinity, in the place of a number is a failure") {
  for (const double wrong : {double(NAN), double(INFINITY), -double(INFINITY)})
    for (const Depth depth : {Depth::f32, Depth::half}) {
      const LevelCheck check = check_of_planted(depth, {3, 1}, 2, wrong);
      CHECK(std::isinf(check.share));
      CHECK(check.at == Size{3, 1});
    }
}

TEST_CASE("a number in the place of no number is a failure") {
  Level base = pattern("noise", size, Depth::f32);
  put(base, Depth::f32, 0, double(NAN));
  std::vector<Level> levels = right_mips(base, Depth::f32);
  CHECK(verify_mips(base, levels, Depth::f32)[0].share <= 1);
  put(levels[0], Depth::f32, 0, 0);
  CHECK(std::isinf(verify_mips(base, levels, Depth::f32)[0].share));
}

TEST_CASE("with sums in XYZ, a NaN reaches all three channels of its texel, and no other texel or alpha") {
  Level base = pattern("noise", size, Depth::f32);
  put(base, Depth::f32, 2, double(NAN));  // blue of the first texel
  const Call call = mips();
  const auto share_with = [&](size_t number, bool is_yxy) {
    std::vector<Level> levels = right_mips(base, Depth::f32);
    put(levels[0], Depth::f32, number, double(NAN));
    return verify({&call, 1}, base, levels, 1, Depth::f32, {.is_yxy = is_yxy})[0].share;
  };
  CHECK(share_with(0, true) <= 1);
  CHECK(std::isinf(share_with(0, false)));
  CHECK(std::isinf(share_with(3, true)));
  CHECK(std::isinf(share_with(4 * 5, true)));
}

TEST_CASE("where halves leave nothing of a luminance, a color that keeps its chromaticity may be any; none beside it") {
  for (const int radius : {0, 3}) {
    const std::array<Call, 2> calls{
        default_call(*op_named("gamma")).with("value", 2.2),
        default_call(*op_named("localgamma")).with("chroma", 1).with("adapt-radius", radius)};
    Level base{{2, 1}, TexelBuffer(8 * bytes_of(Depth::half))};
    const std::array numbers{6.3671875, -0.5986328125, 1.025390625, 1.0, 0.5, 0.25, 0.125, 1.0};
    for (size_t index = 0; index < numbers.size(); ++index) put(base, Depth::half, index, numbers[index]);
    std::vector<Level> between = right_levels(base, Depth::half, {&calls[0], 1});
    std::vector<Level> levels = right_levels(between[0], Depth::half, {&calls[1], 1});
    const LevelCheck right = verify(calls, base, levels, 0, Depth::half)[0];
    CHECK_MESSAGE(right.share <= 1, describe(right));
    put(levels[0], Depth::half, 4, 1.02 * numbers_of(levels[0], Depth::half)[4]);
    const LevelCheck planted = verify(calls, base, levels, 0, Depth::half)[0];
    CHECK_MESSAGE(planted.share > 1, describe(planted));
    CHECK(planted.at == Size{1, 0});
  }
}

TEST_CASE("a luminance that is 0 within its error leaves a color that keeps its chromaticity without a bound") {
  const Call call = default_call(*op_named("localgamma")).with("chroma", 1);
  const auto tolerance_of = [&](const Color& c, const Color& error) {
    Planes color, off;
    for (size_t k = 0; k < 4; ++k) {
      color[k] = {.size = {1, 1}, .values = {c[k]}};
      off[k] = {.size = {1, 1}, .values = {error[k]}};
    }
    return color_at(call.op->reference.tolerance(call, color, off, Depth::half)[0], 0);
  };
  // twice sharpened: the error is larger than green is below 0
  CHECK(tolerance_of({0.00572, -0.00247, 0.00764, 1}, {0.0043, 0.0059, 0.0109, 0})[1] >= largest(Depth::half));
  CHECK(tolerance_of({0.00572, -0.00247, 0.00764, 1}, {1e-7, 1e-7, 1e-7, 0})[1] < 1);
  CHECK(tolerance_of({0, 0, 0, 1}, {1e-7, 1e-7, 1e-7, 0})[1] < 0.01);
}

TEST_CASE("the least of numbers may be off by as much as the one that is off most") {
  const std::array<Call, 2> calls{default_call(*op_named("offset")).with("value", 0.1), mips().with("reduce", 1)};
  Level base{{2, 1}, TexelBuffer(8 * bytes_of(Depth::half))};
  put(base, Depth::half, 0, -0.5);
  for (const size_t alpha : {3, 7}) put(base, Depth::half, alpha, 1);
  const Expected expected = expected_of(calls, base, Depth::half);
  CHECK(expected.levels[1][0].values[0] == doctest::Approx(-0.4));
  CHECK(expected.tolerance[1][0].values[0] >= expected.tolerance[0][0].values[0]);
  CHECK(expected.tolerance[1][0].values[0] < 2 * expected.tolerance[0][0].values[0]);
}

TEST_CASE("a number below the normal ones may count as one of them, and 0 may not") {
  const Call call = parse_call(*op_named("gamma"), "--value 2");
  const auto texel = [&](const Color& color) { return made_of(call, color); };
  const auto error = [&](const Color& color) { return moved_by(texel, color, error_in_space(call, color, {}))[0]; };
  CHECK(error({1e-42, 0, 0, 1}) >= texel({0x1p-127, 0, 0, 1})[0]);
  CHECK(error({0, 0, 0, 1}) == 0);
}

TEST_CASE("an alpha that may have become 0 lets a result jump, but no further") {
  const Call call = default_call(*op_named("tonemap"));
  const Color c{0.5, 0.5, 0.5, 1e-6};
  const auto texel = [&](const Color& color) { return made_of(call, color); };
  const double jump = std::abs(texel({0.5, 0.5, 0.5, 0})[0] - texel(c)[0]);
  REQUIRE(jump > 0.1);
  CHECK(moved_by(texel, c, {0, 0, 0, 2e-6})[0] >= jump);
  CHECK(moved_by(texel, c, {0, 0, 0, 2e-6})[0] < 1.5 * jump);
  CHECK(moved_by(texel, c, {0, 0, 0, 0.5e-6})[0] < 0.1 * jump);
}

TEST_CASE("before an op that measures, not fused, as Yxy, a color is rounded, and one without luminance may be lost") {
  const auto tolerance_of = [](const std::array<double, 3>& color, const Between& between) {
    const std::array<Call, 2> calls{parse_call(*op_named("gain"), "--value 1.001"),
                                    parse_call(*op_named("exposure"), "--auto")};
    Level base{{1, 1}, TexelBuffer(4 * bytes_of(Depth::half))};
    for (size_t index = 0; index < 3; ++index) put(base, Depth::half, index, color[index]);
    put(base, Depth::half, 3, 1);
    return expected_of(calls, base, Depth::half, between).tolerance[0][0].values[0];
  };
  const std::array<double, 3> gray{0.5, 0.5, 0.5}, unlit{0.5908203125, -0.276611328125, 1};
  CHECK(tolerance_of(gray, {.is_yxy = true}) < 0.002);
  CHECK(tolerance_of(gray, {.fuses = false}) < 0.002);
  CHECK(tolerance_of(gray, {.is_yxy = true, .fuses = false}) > 0.005);
  CHECK(tolerance_of(gray, {.is_yxy = true, .fuses = false}) < 0.05);
  CHECK(tolerance_of(unlit, {.is_yxy = true, .fuses = false}) > 0.1);
  CHECK(tolerance_of(unlit, {.is_yxy = true, .fuses = false}) < 2.6);
}

TEST_CASE("what an op measures of a picture may be off by what the picture is off") {
  const Call call = parse_call(*op_named("exposure"), "--auto");
  Planes base, error;
  for (size_t k = 0; k < 4; ++k) {
    base[k] = {.size = {2, 1}, .values = {0.5, 0.5}};
    error[k] = {.size = {2, 1}, .values = {0, k == 3 ? 0 : 0.1}};
  }
  // the exposure is that of the mean of logarithms, so that an error of a fifth in half of it counts a tenth
  const double tolerance = call.op->reference.tolerance(call, base, error, Depth::f32)[0][0].values[0];
  CHECK(tolerance > 0.09 * 0.18);
  CHECK(tolerance < 0.14 * 0.18);
}

TEST_CASE("a texel that may be black may be left out of what an op measures") {
  Planes base, error;
  for (size_t k = 0; k < 4; ++k) {
    base[k] = {.size = {4, 1}, .values = {0.25, 0.25, 0.25, 1e-7}};
    error[k] = {.size = {4, 1}, .values = {0, 0, 0, k == 3 ? 0 : 1e-6}};
  }
  const LogAverageBounds bounds = log_average_bounds(base, error);
  CHECK(bounds.high == doctest::Approx(0.25));
  CHECK(bounds.low == doctest::Approx(std::exp2((3 * -2 - 126) / 4.0)));
  // without it the average is 0.25, with it about 0.0063
  for (const auto& [op, words] : {std::pair<std::string_view, std::string_view>{"exposure", "--auto"},
                                  {"tonemap", "--curve reinhard --key 0.18"},
                                  {"tonemap", "--curve reinhard-local"},
                                  {"brightpass", "--form mapped"}}) {
    const Call call = parse_call(*op_named(op), words);
    const Planes made = call.op->reference.levels(call, base)[0];
    Planes black = base;
    for (size_t k = 0; k < 3; ++k) black[k].values[3] = 0;
    const Planes left_out = call.op->reference.levels(call, black)[0];
    const Planes tolerance = call.op->reference.tolerance(call, base, error, Depth::f32)[0];
    CHECK_MESSAGE(tolerance[0].values[0] >= std::abs(made[0].values[0] - left_out[0].values[0]), op);
  }
  for (size_t k = 0; k < 3; ++k) error[k].values[3] = 0;
  const LogAverageBounds exact = log_average_bounds(base, error);
  CHECK(exact.low == exact.high);
  // with percentiles, a part of one more of the four texels may count
  for (const auto& [words, most] :
       {std::pair<std::string_view, double>{"--auto", 1e-3}, {"--auto --percentile 50,100", 0.05}}) {
    const Call call = parse_call(*op_named("exposure"), words);
    CHECK_MESSAGE(call.op->reference.tolerance(call, base, error, Depth::f32)[0][0].values[0] < most, words);
  }
}
