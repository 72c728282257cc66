// Blurs as a GPU takes them, on whatever device there is: at edges of strips, segments, groups of rows and runs of sums.
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/skip.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Checks a blur of `base`, named `what`, that runs in a kernel whose name begins so.
void check_stream(Gpu& gpu, std::string_view words, std::string_view what, const Level& base, Depth depth,
                  std::string_view kernel) {
  const Call call = call_of("blur", words);
  const Plan made = plan({&call, 1}, {.size = base.size, .storage = depth}, as_gpu(gpu));
  REQUIRE(made.passes.size() == (kernel.starts_with("blur/strip_") ? 1 : 2));
  REQUIRE(made.passes[0].kernel.starts_with(kernel));
  const RunResult result = gpu.run(made, base, 0);
  const LevelCheck found = verify({&call, 1}, base, result.levels, 0, depth).front();
  CHECK_MESSAGE(found.share <= 1, words, " on ", what, " ", base.size.width, "x", base.size.height, " ", name_of(depth),
                ": ", describe(found));
}

void check_stream(Gpu& gpu, std::string_view words, std::string_view pattern_name, Size size, Depth depth) {
  check_stream(gpu, words, pattern_name, pattern(pattern_name, size, depth), depth, "blur/strip_");
}

// Depths take turns: to compile a pipeline takes a CPU longer than all that is done with it.
Depth depth_of(int turn) { return turn % 2 == 0 ? Depth::f32 : Depth::half; }

}  // namespace

GPU_TEST_CASE("streams of taps are right at every radius that they take" * doctest::test_suite("thorough")) {
  int turn = 0;
  for (const std::string_view words : {"--radius 0", "--radius 1", "--radius 3", "--sigma 1.2", "--sigma 4"}) {
    for (const Size size : {Size{257, 129}, Size{1, 300}, Size{300, 1}})
      check_stream(gpu, fmt::format("{} --method shared", words), "noise", size, depth_of(turn));
    ++turn;
  }
}

GPU_TEST_CASE("streams of sliding sums are right for each number of blocks and rest of rows" *
              doctest::test_suite("thorough")) {
  // groups of 4, 8 and 16 rows, all of the core in blocks or a rest beside them
  int turn = 0;
  for (const int radius : {3, 4, 8, 12, 13, 17, 23, 24, 33, 38})
    check_stream(gpu, fmt::format("--radius {} --method sliding", radius), "noise", {257, 300}, depth_of(turn++));
}

GPU_TEST_CASE(
    "streams treat borders and hard numbers as the definition does, also where the picture is smaller than the "
    "kernel") {
  int turn = 0;
  for (const std::string_view way : {"--radius 5 --method sliding", "--radius 26 --method sliding",
                                     "--sigma 1.5 --method shared", "--sigma 3 --axis x --method shared"})
    for (const std::string_view border : {"clamp", "repeat", "mirror", "black", "renormalize"}) {
      for (const std::string_view name : {"nonfinite", "huge"})
        for (const Size size : {Size{17, 9}, Size{130, 71}})
          check_stream(gpu, fmt::format("{} --border {}", way, border), name, size, depth_of(turn));
      ++turn;
    }
}

GPU_TEST_CASE("streams of integers are right on every border, and what leaves them leaves nothing") {
  constexpr std::string_view kernel = "blur/strip_integers.glsl";
  for (const std::string_view border : {"clamp", "repeat", "mirror", "black", "renormalize"})
    for (const std::string_view name : {"nonfinite", "huge"})
      check_stream(gpu, fmt::format("--radius 40 --method sliding --border {}", border), name,
                   pattern(name, {130, 71}, Depth::half), Depth::half, kernel);
  check_stream(gpu, "--radius 63 --method sliding", "noise", pattern("noise", {257, 300}, Depth::half), Depth::half,
               kernel);

  // one texel of 60,000, infinity or no number in each 97 x 97, among some thousandths of either sign
  const auto suns = [](int x, int y, size_t component, int) {
    const float all[] = {6e4f, -6e4f, 1 / 0.f, -1 / 0.f};
    if (x % 97 == 11 && y % 97 == 5) return bits_of_half(all[component]);
    return bits_of_half(1e-5f * float(int(hash_of(uint32_t(x), uint32_t(y), uint32_t(component), 0) % 1001) - 400));
  };
  check_stream(gpu, "--radius 40 --method sliding", "suns", made_level({250, 300}, Depth::half, 0, suns), Depth::half,
               kernel);

  const auto steps = [](int x, int y, size_t component, int) {
    return hash_of(uint32_t(x), uint32_t(y), uint32_t(component), 0) & 255;
  };
  const Level base = made_level({257, 140}, Depth::u8, 0, steps);
  for (const std::string_view words :
       {"--radius 8 --border mirror", "--radius 15", "--radius 30 --border black", "--radius 5 --border renormalize"})
    check_stream(gpu, fmt::format("{} --method sliding", words), "steps", base, Depth::u8, kernel);
}

GPU_TEST_CASE("streams of pairs of 16-bit sums round to nearest on every border, and hold the largest sums") {
  const auto steps = [](int x, int y, size_t component, int) {
    return hash_of(uint32_t(x), uint32_t(y), uint32_t(component), 0) & 255;
  };
  const auto white = [](int, int, size_t, int) { return 255U; };
  for (const std::string_view words : {"--radius 3", "--radius 4 --border repeat", "--radius 5 --border mirror",
                                       "--radius 6 --border black", "--radius 7"})
    for (const Size size : {Size{257, 140}, Size{17, 9}})
      check_stream(gpu, fmt::format("{} --method sliding", words), "steps", made_level(size, Depth::u8, 0, steps),
                   Depth::u8, "blur/strip_pairs.glsl");
  const Call call = call_of("blur", "--radius 7 --method sliding");
  const Level base = made_level({130, 71}, Depth::u8, 0, white);
  const Plan made = plan({&call, 1}, {.size = base.size, .storage = Depth::u8}, as_gpu(gpu));
  CHECK(std::ranges::equal(gpu.run(made, base, 0).levels[0].texels.bytes(), base.texels.bytes()));
}

GPU_TEST_CASE("sums of blocks that threads exchange are, bit by bit, those of a device that cannot") {
  const DeviceTraits traits = as_gpu(gpu);
  DeviceTraits without_shuffles = traits;
  without_shuffles.subgroup.has_shuffle = false;
  const Size size{257, 70};
  // halves below radius 40 exchange only where the 32 threads of a row are in one subgroup; below radius 16 they then add in another order
  for (const auto& [radius, depth, threads] :
       {std::tuple{13, Depth::f32, 8}, {26, Depth::f32, 8}, {44, Depth::half, 8}, {17, Depth::half, 32}}) {
    const Call call = call_of("blur", fmt::format("--radius {} --method sliding", radius));
    const PlanInput input{.size = size, .storage = depth};
    const Level base = pattern("noise", size, depth);
    const Plan exchanging = plan({&call, 1}, input, traits), sharing = plan({&call, 1}, input, without_shuffles);
    CHECK((exchanging.passes[0].arithmetic.subgroup_size > 0) ==
          (traits.subgroup.has_shuffle && traits.subgroup.size >= threads));
    CHECK(sharing.passes[0].arithmetic.subgroup_size == 0);
    CAPTURE(call.text());
    CHECK(std::ranges::equal(gpu.run(exchanging, base, 0).levels[0].texels.bytes(),
                             gpu.run(sharing, base, 0).levels[0].texels.bytes()));
  }
}

GPU_TEST_CASE("runs of sums along lines are right for each rest of texels, border and hard number") {
  const auto check_runs = [&](std::string_view words, std::string_view name, Size size) {
    check_stream(gpu, fmt::format("--kernel gaussian --method lines {}", words), name, pattern(name, size, Depth::half),
                 Depth::half, "blur/line_runs.glsl");
  };
  check_runs("--radius 6", "nonfinite", {67, 35});
  check_runs("--radius 11 --border black", "huge", {17, 29});
  check_runs("--radius 13 --border renormalize", "nonfinite", {35, 30});
}

GPU_TEST_CASE("ops that blur images of their own in a chain of halves are right as a GPU takes them") {
  for (const std::string_view name : pattern_names())
    for (const auto& [op, words] :
         {std::pair<std::string_view, std::string_view>("guided", "--radius 2 --epsilon 0.0001"),
          {"guided", "--radius 9 --epsilon 0.0001"},
          {"localgamma", ""},
          {"sharpen", "--sigma 2"},
          {"bloom", ""}}) {
      const Call call = call_of(op, words);
      const Level base = pattern(name, {97, 61}, Depth::half);
      const Plan made = plan({&call, 1}, {.size = base.size, .storage = Depth::half}, as_gpu(gpu));
      const LevelCheck found = verify({&call, 1}, base, gpu.run(made, base, 0).levels, 0, Depth::half).front();
      CHECK_MESSAGE(found.share <= 1, op, " ", words, " on ", name, ": ", describe(found));
    }
}

GPU_TEST_CASE("a GPU's blurs by taps are right in RGB and in Yxy, alone and between other ops") {
  constexpr Size size{97, 61};
  for (const std::string_view method : {"separable", "direct"})
    for (const Space space : {Space::rgb, Space::yxy})
      for (const bool is_between : {false, true}) {
        std::vector<Call> calls{call_of("blur", fmt::format("--radius 2 --method {}", method))};
        if (is_between) {
          calls.insert(calls.begin(), call_of("exposure", "--stops 1"));
          calls.push_back(call_of("saturation", "--factor 0.5"));
        }
        const Plan made = plan(calls, {.size = size, .storage = Depth::f32, .between = space}, as_gpu(gpu));
        const Level base = pattern("light", size, Depth::f32);
        const std::vector<Level> levels = gpu.run(made, base, 0).levels;
        const LevelCheck found = verify(calls, base, levels, 0, Depth::f32, {.is_yxy = space == Space::yxy}).front();
        CHECK_MESSAGE(found.share <= 1, std::string(method), std::string(space == Space::yxy ? " Yxy" : ""), is_between,
                      ": ", describe(found));
      }
}
