// What images on the device cannot hold: it is clamped in the space that they are kept in, and counted.
#include "core/base/half.h"
#include "core/engine/floors.h"
#include "core/engine/run_chain.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// One level whose numbers `number(texel, component)` gives.
Level level_of(Size size, Depth depth, const std::function<float(size_t texel, size_t component)>& number) {
  Level level{size, TexelBuffer(texel_count(size) * 4 * bytes_of(depth))};
  for (size_t index = 0; index < 4 * texel_count(size); ++index)
    if (depth == Depth::half) level.texels.as<uint16_t>()[index] = half_from_float(number(index / 4, index % 4));
    else level.texels.as<float>()[index] = number(index / 4, index % 4);
  return level;
}

Level constant(Size size, Depth depth, float light) {
  return level_of(size, depth, [&](size_t, size_t component) { return component == 3 ? 1.0f : light; });
}

std::vector<Call> chain_of(const std::vector<std::string_view>& lines, Size size) {
  std::vector<Call> calls;
  for (const std::string_view line : lines) {
    const size_t end = std::min(line.size(), line.find(' '));
    calls.push_back(call_of(line.substr(0, end), line.substr(end)));
  }
  give_inputs(calls, size);
  return calls;
}

ChainRun run(Gpu& gpu, std::span<const Call> calls, const Level& base, PlanInput input) {
  input.size = base.size;
  return run_chain(gpu, calls, input, base, {});
}

}  // namespace

GPU_TEST_CASE(
    "the brightest white of halves stays what it is in Yxy: resized, blooming, in filtered and covered levels") {
  const Level white = constant({16, 8}, Depth::half, 65504);
  for (const std::string_view words :
       {"resize --size 8x4", "resize --size 24x12 --filter kaiser", "bloom --intensity 0 --radius 4",
        "mips --filter kaiser", "mips --coverage 0.5", "mips", "blur --radius 2"}) {
    const std::vector<Call> calls = chain_of({words}, white.size);
    const ChainRun made = run(gpu, calls, white, {.half_arithmetic = true, .between = Space::yxy});
    double worst = 0;
    for (const Level& level : made.result.levels) {
      const std::vector<double> numbers = numbers_of(level, Depth::half);
      for (size_t index = 0; index < numbers.size(); ++index)
        worst = std::max(worst, std::abs(numbers[index] / (index % 4 == 3 ? 1 : 65504) - 1));
    }
    CHECK_MESSAGE(worst <= 0x1p-10, fmt::format("{}: {}", words, worst));
  }
}

GPU_TEST_CASE(
    "the reference of light above 65504 agrees, whether a pass applies the next op before or after it stores") {
  const Level bright = level_of({16, 16}, Depth::half, [](size_t texel, size_t component) {
    return component == 3 ? 1.0f : texel % 16 > 5 && texel / 16 > 5 ? 60000.0f : 0.25f;
  });
  using Chain = std::vector<std::string_view>;
  for (const Chain& words :
       {Chain{"sharpen --amount 3", "exposure --stops -2"}, Chain{"sharpen --amount 3", "gamma --value 2.2"},
        Chain{"resize --size 32x32 --ringing keep", "exposure --stops -2", "blur --radius 3"},
        Chain{"exposure --stops 4", "shift --x 3", "exposure --stops -4"},
        Chain{"exposure --stops 4", "saturation --factor 1", "exposure --stops -4"}})
    for (const Space between : {Space::rgb, Space::yxy})
      for (const bool fuses : {true, false}) {
        const std::vector<Call> calls = chain_of(words, bright.size);
        const ChainRun made = run(gpu, calls, bright, {.between = between, .fuses = fuses});
        const Between kept{.is_yxy = between == Space::yxy, .fuses = fuses};
        const LevelCheck check = verify(calls, bright, made.result.levels, 0, Depth::half, kept).front();
        CHECK_MESSAGE(check.share <= 1, words.front(), " ", words[1], ": ", describe(check));
      }
}

GPU_TEST_CASE("no op makes an infinity of finite numbers, however pictures are kept" *
              doctest::test_suite("thorough")) {
  constexpr Size size{19, 14};
  const auto noise_of = [&](float light) {
    return [light](size_t texel, size_t component) {
      const size_t hash = (texel * 2654435761u + component * 40503u) >> 7;
      if (component == 3) return std::array{1.0f, 0.5f, 0.0f}[texel % 3];
      return light * (float(hash % 2001) / 1000 - (texel % 2 ? 1.0f : 0.0f));
    };
  };
  struct Way {
    Depth storage;
    Space between;
    bool is_r11g11b10;
  };
  for (const Op* op : tested_ops()) {
    if (op->prepare) continue;  // it reads files
    for (const std::string_view example : op->doc.examples) {
      std::vector<Call> calls{call_of("flip", "y"), call_of_example(*op, example)};
      if (op->makes != Makes::levels && !makes_content(calls, Content::luminance))
        calls.push_back(call_of("flip", "x"));
      give_inputs(calls, size);
      for (const Way& way : {Way{Depth::half, Space::rgb, false}, Way{Depth::half, Space::yxy, false},
                             Way{Depth::f32, Space::yxy, false}, Way{Depth::half, Space::rgb, true}})
        for (const bool is_white : {true, false}) {
          if (way.is_r11g11b10 && (!is_white || !gpu.info().traits.has_packed_floats)) continue;
          const Level base =
              is_white ? constant(size, way.storage, 65504) : level_of(size, way.storage, noise_of(65504));
          const PlanInput input{.storage = way.storage,
                                .half_arithmetic = true,
                                .between = way.between,
                                .is_r11g11b10_between = way.is_r11g11b10};
          std::vector<Level> levels;
          try {
            levels = run(gpu, calls, base, input).result.levels;
          } catch (const Error& error) {
            REQUIRE_MESSAGE(error.code() == Exit::usage, op->name, " ", example, ": ", std::string(error.what()));
            continue;  // the device cannot do it
          }
          size_t count = 0;
          for (const Level& level : levels)
            count += size_t(std::ranges::count_if(numbers_of(level, result_depth(calls, way.storage)),
                                                  [](double number) { return !std::isfinite(number); }));
          CHECK_MESSAGE(count == 0,
                        fmt::format("{} {} in {}{}{} of {}: {} numbers", op->name, example, name_of(way.storage),
                                    way.between == Space::yxy ? " Yxy" : "", way.is_r11g11b10 ? " packed" : "",
                                    is_white ? "white" : "noise", count));
        }
    }
  }
}

GPU_TEST_CASE("numbers that halves clamp between ops are counted, each where it is stored") {
  constexpr Size size{20, 10};
  const auto count = [&](std::initializer_list<std::string_view> lines, float light, PlanInput input = {}) {
    const std::vector<Call> calls = chain_of(lines, size);
    return run(gpu, calls, constant(size, input.storage, light), input).clamped_count;
  };
  // three channels of 200 texels, where the blur reads them; the result is below the clamp
  CHECK(count({"exposure --stops 2", "blur --radius 2", "exposure --stops -2"}, 40000) == 600);
  CHECK(count({"exposure --stops 2", "exposure --stops -2", "blur --radius 2"}, 40000) == 0);  // fused
  CHECK(count({"exposure --stops 2"}, 40000) == 600);
  CHECK(count({"exposure --stops 2"}, 10000) == 0);
  CHECK(count({"exposure --stops 2", "blur --radius 2"}, 40000, {.storage = Depth::f32}) == 0);
  // sums of the largest halves are no larger, but for rounding
  for (const std::string_view line :
       {"blur --radius 3", "blur --sigma 2", "mips", "mips --filter kaiser", "resize --size 13x9", "flip x"})
    CHECK_MESSAGE(count({line}, 65504) == 0, line);
  // in Yxy it is the luminance that has no room; the result has its RGB at the clamp
  CHECK(count({"exposure --stops 2", "blur --radius 2"}, 40000, {.between = Space::yxy}) == 200);
  if (gpu.info().traits.has_packed_floats)
    CHECK(count({"exposure --stops 2", "blur --radius 2"}, 40000, {.is_r11g11b10_between = true}) == 600);
}

GPU_TEST_CASE("a GPU clamps and counts each texel of point ops once, also at the edges of large images") {
  for (const Size size : {Size{1037, 1030}, Size{37, 30}}) {
    // NaN beside what is too large must not hide it
    const Level base = level_of(size, Depth::half, [&](size_t texel, size_t component) {
      return component == 3 ? 1.0f : component == 2 && texel % 3 == 0 ? NAN : texel % 100 == 0 ? 40000.0f : 2.0f;
    });
    const std::vector<Call> calls = chain_of({"exposure --stops 2"}, size);
    const Plan made = plan(calls, {.size = size, .storage = Depth::half}, as_gpu(gpu));
    const RunResult result = gpu.run(made, base, 0);
    size_t expected = 0;
    for (size_t texel = 0; texel < texel_count(size); texel += 100) expected += texel % 3 == 0 ? 2 : 3;
    CHECK(result.statistics.at(size_t(made.clamped_at)) == expected);
    const std::vector<double> numbers = numbers_of(result.levels.at(0), Depth::half);
    CHECK(numbers[0] == 65504);
    CHECK(std::isnan(numbers[2]));
    CHECK(numbers[4] == 8);
  }
}

GPU_TEST_CASE("a GPU counts each texel once that is not finite, or that packed storage clamps") {
  for (const Size size : {Size{1037, 1030}, Size{37, 30}}) {
    const Level base = level_of(size, Depth::half, [&](size_t texel, size_t component) {
      return component == 3 ? 1.0f : texel % 100 == 99 ? INFINITY : 40000.0f;
    });
    const std::vector<Call> guarded{call_of("nan", "--policy error")};
    const Plan made = plan(guarded, {.size = size, .storage = Depth::half}, as_gpu(gpu));
    const RunResult counted = gpu.run(made, base, 0);
    CHECK(std::ranges::count(counted.statistics, uint32_t(texel_count(size) / 100)) >= 1);
    if (!gpu.info().traits.has_packed_floats) continue;
    const Level bright =
        level_of(size, Depth::half, [](size_t, size_t component) { return component == 3 ? 1.0f : 40000.0f; });
    const std::vector<Call> calls = chain_of({"exposure --stops 2", "blur --radius 2"}, size);
    const Plan packed = plan(calls, {.size = size, .storage = Depth::half, .is_r11g11b10_between = true}, as_gpu(gpu));
    CHECK(clamped_count(packed, gpu.run(packed, bright, 0).statistics) == 3 * texel_count(size));
  }
}

GPU_TEST_CASE("infinity and NaN stay what they are in halves, beside what is clamped") {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::array<float, 4> texel{nan, -40000, -infinity, 1};
  const Level base = level_of({8, 4}, Depth::half, [&](size_t, size_t component) { return texel[component]; });
  const std::vector<Call> calls = chain_of({"exposure --stops 2"}, base.size);
  const ChainRun made = run(gpu, calls, base, {});
  const std::vector<double> numbers = numbers_of(made.result.levels[0], Depth::half);
  for (size_t index = 0; index < numbers.size(); index += 4) {
    CHECK(std::isnan(numbers[index]));
    CHECK(numbers[index + 1] == -65504);
    CHECK(numbers[index + 2] == double(-infinity));
    CHECK(numbers[index + 3] == 1);
  }
  CHECK(made.clamped_count == 32);
}
