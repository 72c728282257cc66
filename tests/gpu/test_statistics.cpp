// Statistics on the device, every number of them against the definition.
#include "core/ops/stats/check.h"
#include "core/ops/stats/join.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/synthetic_images.h"

#include "core/base/half.h"
#include "core/engine/floors.h"
#include "core/op/parse.h"
#include "core/reference/verify.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace gpupost;
using namespace gpupost::test;

namespace {

std::vector<uint32_t> words_of(const Plan& made, size_t result, const std::vector<uint32_t>& statistics) {
  const std::span<const uint32_t> words = made.results[result].of(statistics);
  return {words.begin(), words.end()};
}

std::vector<uint32_t> words_of(Gpu& gpu, const Call& call, const Level& base, Depth depth, const DeviceTraits& traits) {
  const Plan made = plan({&call, 1}, {.size = base.size, .storage = depth}, traits);
  return words_of(made, 0, gpu.run(made, base, 1).statistics);
}

std::vector<uint32_t> words_of(Gpu& gpu, const Call& call, const Level& base, Depth depth) {
  return words_of(gpu, call, base, depth, gpu.info().traits);
}

Statistics statistics_of(const std::vector<uint32_t>& words, Size size, Measure measure) {
  return gpupost::statistics_of(words, texel_count(size), measure);
}

void check_words(const std::vector<uint32_t>& words, const Call& call, const Level& base, Depth depth) {
  Planes no_error;
  no_error.fill({.size = base.size, .values = std::vector<double>(texel_count(base.size))});
  for (const NumberCheck& check : check_statistics(statistics_of(words, base.size, measure_of(call)),
                                                   planes_of(base, depth), no_error, measure_of(call)))
    CHECK_MESSAGE(check.share() <= 1, call.text(), " on ", base.size.width, "x", base.size.height, " ", name_of(depth),
                  ": ", describe(check));
}

bool is_near(double found, double expected) { return std::abs(found - expected) <= 1e-5 * expected; }

}  // namespace

GPU_TEST_CASE("the device's statistics are those of the definition, at awkward sizes and of awkward numbers") {
  for (const Size size : {Size{1, 1}, {3, 5}, {1, 4096}, {64, 64}, {65, 63}, {257, 129}})
    for (const std::string_view name : pattern_names())
      for (const Depth depth : {Depth::f32, Depth::half})
        for (const char* words : {"", "--measure extremes"}) {
          const Call call = call_of("stats", words);
          const Level base = pattern(name, size, depth);
          CAPTURE(name);
          check_words(words_of(gpu, call, base, depth), call, base, depth);
        }
}

GPU_TEST_CASE("small noise on a large value has its standard deviation, whatever the first texel is, also in tiles") {
  const Size size{257, 129};
  const Call call = call_of("stats", "");
  for (const double offset : {0.0, 1e4, -1e4, 1e30})
    for (const double noise : {0.01, 3.0}) {
      const float step = float(offset == 1e30 ? 1e26 * noise : noise);
      const Level base = made_level(size, Depth::f32, 0, [&](int x, int y, size_t component, int level) {
        const double number =
            double(hash_of(uint32_t(x), uint32_t(y), uint32_t(component), uint32_t(level)) % 4096) / 2048;
        return std::bit_cast<uint32_t>(float(offset + (number - 1) * double(step)));
      });
      double sum = 0, squares = 0;
      const auto numbers = base.texels.as<float>();
      for (size_t at = 0; at < numbers.size(); at += 4) sum += double(numbers[at]);
      const double mean = sum / double(texel_count(size));
      for (size_t at = 0; at < numbers.size(); at += 4) squares += std::pow(double(numbers[at]) - mean, 2);
      const double deviation = std::sqrt(squares / double(texel_count(size)));
      CAPTURE(offset);
      CAPTURE(noise);
      const std::vector<uint32_t> words = words_of(gpu, call, base, Depth::f32);
      CHECK(is_near(statistics_of(words, size, Measure::all).components[0].deviation, deviation));

      const Size half{size.width, 64}, rest{size.width, 65};
      StatisticsJoin join(Measure::all);
      size_t from = 0;
      for (const Size tile : {half, rest}) {
        Level part{tile, TexelBuffer(texel_count(tile) * 4 * sizeof(float))};
        std::ranges::copy(numbers.subspan(from, part.texels.as<float>().size()), part.texels.as<float>().begin());
        from += part.texels.as<float>().size();
        join.add(words_of(gpu, call, part, Depth::f32), texel_count(tile));
      }
      CHECK(is_near(statistics_of(join.words(), size, Measure::all).components[0].deviation, deviation));
    }
}

GPU_TEST_CASE("numbers of the whole range of floats have a finite standard deviation, equal ones have none") {
  const Call call = call_of("stats", "");
  const auto check = [&](float a, float b, double expected) {
    CAPTURE(a);
    CAPTURE(b);
    const Level base = made_level({16, 4}, Depth::f32, 0,
                                  [&](int x, int, size_t, int) { return std::bit_cast<uint32_t>(x % 2 == 0 ? a : b); });
    const std::vector<uint32_t> words = words_of(gpu, call, base, Depth::f32);
    StatisticsJoin join(Measure::all);
    for (int tile = 0; tile < 2; ++tile) join.add(words, texel_count(base.size));
    CHECK(is_near(statistics_of(words, base.size, Measure::all).components[1].deviation, expected));
    CHECK(is_near(statistics_of(join.words(), {32, 4}, Measure::all).components[1].deviation, expected));
  };
  constexpr float most = std::numeric_limits<float>::max();
  check(-most, most, double(most));
  for (const float number : {most, 1e30f, 0.1f, 1e-30f, 0.0f}) check(number, number, 0);
  check(1e-30f, 3e-30f, 1e-30);
}

GPU_TEST_CASE("a denormal value hardly changes the log average") {
  const Size size{64, 64};
  Level base{size, TexelBuffer(texel_count(size) * 4 * sizeof(float))};
  std::ranges::fill(base.texels.as<float>(), 1.0f);
  for (size_t c = 0; c < 3; ++c) base.texels.as<float>()[c] = 1e-40f;
  const Call call = call_of("stats", "");
  const std::vector<uint32_t> words = words_of(gpu, call, base, Depth::f32);
  check_words(words, call, base, Depth::f32);
  for (const double average : {statistics_of(words, size, Measure::all).log_average,
                               gpupost::statistics_of(planes_of(base, Depth::f32)).log_average}) {
    CHECK(average >=
          std::exp2(-126.0 / 4096) - 1e-6);  // the texel counts as 2^-126, or not if the device flushes it to 0
    CHECK(average <= 1 + 1e-6);
  }
}

GPU_TEST_CASE("a workgroup that goes on from tile to tile measures each of them") {
  const Size size{1030, 700};
  for (const char* words : {"", "--measure extremes"}) {
    const Call call = call_of("stats", words);
    const Pass pass = plan({&call, 1}, {.size = size, .storage = Depth::f32}, gpu.info().traits).passes.front();
    CHECK(size_t(pass.grid.count[0]) * 64 * 16 < texel_count(size));
    for (const std::string_view name : {"ramp", "nonfinite"}) {
      const Level base = pattern(name, size, Depth::f32);
      CAPTURE(name);
      check_words(words_of(gpu, call, base, Depth::f32), call, base, Depth::f32);
    }
  }
}

GPU_TEST_CASE("the larger tiles of a GPU measure all of a picture, and no more") {
  const DeviceTraits traits = as_gpu(gpu);
  const Call call = call_of("stats", "--measure extremes");
  for (const Size size : {Size{64, 32}, {65, 33}, {129, 127}}) {
    const int tiles = (size.width + 63) / 64 * ((size.height + 31) / 32);
    CHECK(plan({&call, 1}, {.size = size, .storage = Depth::half}, traits).passes.front().grid.count[0] == tiles);
    for (const std::string_view name : {"ramp", "nonfinite"}) {
      const Level base = pattern(name, size, Depth::half);
      CAPTURE(name);
      check_words(words_of(gpu, call, base, Depth::half, traits), call, base, Depth::half);
    }
  }
}

GPU_TEST_CASE("a device without the memory model takes one more pass for all numbers and gives the same bits") {
  DeviceTraits traits = gpu.info().traits;
  traits.has_memory_model = false;
  const Call call = call_of("stats", "");
  const PlanInput input{.size = {257, 129}, .storage = Depth::half};
  CHECK(plan({&call, 1}, input, gpu.info().traits).passes.size() == 3);
  CHECK(plan({&call, 1}, input, traits).passes.size() == 4);
  const Call extremes = call_of("stats", "--measure extremes");
  CHECK(plan({&extremes, 1}, input, traits).passes.size() == 1);
  for (const std::string_view name : {"noise", "nonfinite"}) {
    const Level base = pattern(name, input.size, Depth::half);
    CHECK(words_of(gpu, call, base, Depth::half, traits) == words_of(gpu, call, base, Depth::half));
  }
}

GPU_TEST_CASE("repeated runs give the same bits, and count anew") {
  const Size size{1000, 700};
  const Level base = pattern("nonfinite", size, Depth::f32);
  const Call call = call_of("stats", "");
  const std::vector<uint32_t> first = words_of(gpu, call, base, Depth::f32);
  for (int repeat = 0; repeat < 3; ++repeat) CHECK(words_of(gpu, call, base, Depth::f32) == first);
  const std::vector<Call> twice{call, call_of("flip", "x"), call};
  const Plan made = plan(twice, {.size = size, .storage = Depth::f32}, gpu.info().traits);
  REQUIRE(made.results.size() == 2);
  const std::vector<uint32_t> statistics = gpu.run(made, base, 0).statistics;
  CHECK(words_of(made, 0, statistics) == first);
  const Statistics flipped = statistics_of(words_of(made, 1, statistics), size, Measure::all);
  CHECK(flipped.histogram.bins == statistics_of(first, size, Measure::all).histogram.bins);
}

GPU_TEST_CASE("a chain goes on behind statistics as if they were not there") {
  const std::vector<Call> chain{call_of("flip", "x"),
                                call_of("stats", ""),
                                call_of("exposure", "--stops 1"),
                                call_of("stats", "--measure extremes"),
                                call_of("gain", "--value 0.25"),
                                call_of("mips", "")};
  for (const Kind kind : kinds) check_chain(gpu, chain, "noise", {257, 129}, kind);
}

GPU_TEST_CASE("the automatic exposure is that of the picture as the ops before have left it") {
  const std::vector<std::vector<Call>> chains{
      {call_of("gain", "--value 0.25"), call_of("exposure", "--auto"), call_of("exposure", "--stops 1")},
      {call_of("exposure", "--auto --key 1"), call_of("stats", ""), call_of("flip", "x"),
       call_of("exposure", "--auto --percentile 20,60"), call_of("mips", "")}};
  for (const std::vector<Call>& chain : chains)
    for (const std::string_view name : {"ramp", "nonfinite"})
      for (const Kind kind : kinds) check_chain(gpu, chain, name, {257, 129}, kind);
}

GPU_TEST_CASE("the mean of sixteen million texels is off by less than a millionth") {
  const Size size{4096, 4096};
  for (const bool is_constant : {false, true}) {
    Level base = noise(size, Depth::half);
    const std::span<uint16_t> halves = base.texels.as<uint16_t>();
    if (is_constant) std::ranges::fill(halves, half_from_float(0.1f));  // all rounding goes the same way
    const Statistics found = statistics_of(words_of(gpu, call_of("stats", "--measure extremes"), base, Depth::half),
                                           size, Measure::extremes);
    double sum = 0;
    for (size_t index = 0; index < halves.size(); index += 4)
      for (size_t component = 0; component < 3; ++component)
        sum += luminance_weights[component] * double(float_from_half(halves[index + component]));
    const double mean = sum / double(texel_count(size));
    CHECK(std::abs(found.luminance.mean - mean) < 1e-6 * mean);
  }
}
