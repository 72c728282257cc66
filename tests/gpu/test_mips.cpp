// Properties of the mip chain that hold whatever the definition says.
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

using namespace gpupost;
using namespace gpupost::test;

namespace {

std::vector<Level> mips_of(Gpu& gpu, std::string_view example, const Level& base, Depth depth) {
  const Call call = parse_call(*op_named("mips"), example);
  const PlanInput input{.size = base.size, .storage = depth};
  return gpu.run(plan({&call, 1}, input, gpu.info().traits), base, 1).levels;
}

// odd ones, and such as use one side up before the other
const Size sizes[] = {{4095, 3}, {127, 127}, {1919, 1081}, {257, 129}, {5, 7},
                      {1, 4096}, {4096, 1},  {33, 1},      {128, 32},  {64, 2048}};
const std::string_view methods[] = {"--method single-pass", "--method per-level"};

}  // namespace

GPU_TEST_CASE("a constant stays the constant at every level, down to 1x1" * doctest::test_suite("thorough")) {
  for (const std::string_view method : methods)
    for (const Size size : sizes)
      for (const Level& level : mips_of(gpu, method, pattern("constant", size, Depth::f32), Depth::f32)) {
        const std::vector<double> numbers = numbers_of(level, Depth::f32);
        for (size_t index = 0; index < numbers.size(); ++index) {
          const double expected = 0.1 * double(index % 4 + 1);
          if (std::abs(numbers[index] - expected) > 1e-6)
            FAIL(method, " ", size.width, "x", size.height, " level ", level.size.width, "x", level.size.height, ": ",
                 numbers[index], " is not ", expected);
        }
      }
}

GPU_TEST_CASE("the mean of the picture is the same at every level, down to 1x1" * doctest::test_suite("thorough")) {
  const auto mean = [](const std::vector<double>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / double(numbers.size());
  };
  for (const std::string_view method : methods)
    for (const Size size : sizes) {
      const Level base = pattern("ramp", size, Depth::f32);
      const double expected = mean(numbers_of(base, Depth::f32));
      for (const Level& level : mips_of(gpu, method, base, Depth::f32))
        CHECK_MESSAGE(mean(numbers_of(level, Depth::f32)) == doctest::Approx(expected).epsilon(2e-6), method, " ",
                      size.width, "x", size.height, " level ", level.size.width, "x", level.size.height);
    }
}

namespace {

// even all the way, for some levels, and not at all
constexpr Size repeated_sizes[] = {{512, 512}, {1920, 1080}, {517, 301}};

// How often the single pass is repeated where a device is to be put under stress; "": it is not.
std::string_view wanted_runs() {
  const char* runs = std::getenv("GPUPOST_TEST_RUNS");
  return runs ? runs : "";
}

int run_count() { return wanted_runs().empty() ? 5 : std::atoi(wanted_runs().data()); }

// The first run of the single pass whose levels are not those of an undisturbed one, with every tile held up by another
// while; 0: there was none.
int first_that_differs(Gpu& gpu, const Call& call, Size size, std::vector<Define> faults) {
  const Level base = pattern("noise", size, Depth::half);
  Plan made = plan({&call, 1}, {.size = size, .storage = Depth::half}, gpu.info().traits);
  const std::vector<Level> expected = gpu.run(made, base, 1).levels;
  Pass& pass = made.passes.at(0);
  pass.defines.push_back({"DELAYS", 1});
  pass.defines.insert(pass.defines.end(), faults.begin(), faults.end());
  pass.values.push_back({"delay_seed", 0});
  for (int run = 1; run <= run_count(); ++run) {
    pass.values.back().value = run;
    const std::vector<Level> levels = gpu.run(made, base, 1).levels;
    for (size_t index = 0; index < levels.size(); ++index)
      if (!std::ranges::equal(levels[index].texels.bytes(), expected[index].texels.bytes())) return run;
  }
  return 0;
}

}  // namespace

GPU_TEST_CASE("the single pass gives the same bits however long its tiles take" * doctest::test_suite("thorough")) {
  const Call call = parse_call(*op_named("mips"), "--method single-pass");
  for (const Size size : repeated_sizes) {
    CHECK(first_that_differs(gpu, call, size, {}) == 0);
    if (wanted_runs().empty()) continue;
    const int without = first_that_differs(gpu, call, size, {{"WITHOUT_ACQUIRE", 1}});
    MESSAGE(size.width, "x", size.height, ", ", run_count(),
            " runs; without the acquire the first that differs: ", without == 0 ? "none" : std::to_string(without));
  }
}

// Thorough: only the device could make other bits of the same run.
GPU_TEST_CASE("repeated runs of the single pass are the same bit for bit" * doctest::test_suite("thorough")) {
  for (const Size size : repeated_sizes) {
    const Level base = pattern("noise", size, Depth::half);
    const std::vector<Level> first = mips_of(gpu, methods[0], base, Depth::half);
    for (int run = 0; run < 10; ++run) {
      const std::vector<Level> again = mips_of(gpu, methods[0], base, Depth::half);
      for (size_t index = 0; index < first.size(); ++index)
        REQUIRE(std::ranges::equal(first[index].texels.bytes(), again[index].texels.bytes()));
    }
  }
}

GPU_TEST_CASE(
    "mips as a GPU makes them: tiles that make texels of their neighbors, and one workgroup for the last levels") {
  const DeviceTraits traits = as_gpu(gpu);
  const bool has_tiles = traits.subgroup.has_shuffle && traits.subgroup.size >= 16 && traits.has_memory_model;
  struct Case {
    Size size;
    std::string_view first, last;  // kernels
  };
  // levels 4 and 5 have an odd width, height, both or none
  constexpr std::string_view tiles = "mips/odd_tile.glsl", level = "mips/level.glsl", rest = "mips/rest.glsl";
  constexpr Case cases[] = {{{200, 144}, tiles, rest}, {{176, 152}, tiles, rest}, {{72, 88}, tiles, rest},
                            {{616, 808}, tiles, rest}, {{8, 496}, tiles, rest},   {{336, 80}, tiles, rest},
                            {{240, 176}, tiles, rest}, {{257, 129}, level, rest}, {{130, 66}, level, rest},
                            {{17, 9}, rest, rest},     {{1, 1000}, level, rest},  {{301, 1}, rest, rest},
                            {{63, 31}, rest, rest},    {{3, 1}, level, level}};
  // each pipeline takes a CPU long to compile, so a sample of the sizes has minima, maxima and floats
  const auto wants = [](size_t index, std::string_view reduce, Depth depth) {
    return is_thorough() || (reduce == "mean" && depth == Depth::half) || index % 6 == 1;
  };
  for (size_t index = 0; index < std::size(cases); ++index)
    for (const std::string_view reduce : {"mean", "min", "max"})
      for (const auto& [name, depth] : {std::pair{"nonfinite", Depth::half}, {"noise", Depth::f32}}) {
        if (!wants(index, reduce, depth)) continue;
        const auto& [size, first, last] = cases[index];
        const Call call = parse_call(*op_named("mips"), fmt::format("--reduce {}", reduce));
        const Plan made = plan({&call, 1}, {.size = size, .storage = depth}, traits);
        CAPTURE(size.width);
        CAPTURE(size.height);
        CAPTURE(reduce);
        if (first != tiles || has_tiles) {
          CHECK(made.passes.front().kernel == first);
          CHECK(made.passes.back().kernel == last);
          CHECK((first != tiles || made.passes.size() == 2));
        }
        const Level base = pattern(name, size, depth);
        for (const LevelCheck& found : verify({&call, 1}, base, gpu.run(made, base, 1).levels, 1, depth))
          CHECK_MESSAGE(found.share <= 1, describe(found));
      }
}
