// Every way to make luminances against their definition.
#include "core/op/benchmark.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr Kind in_float = kinds[0], in_half = kinds[1];

// All that the device can do.
std::vector<Call> calls_of(Gpu& gpu, std::string_view words) {
  std::vector<Call> calls;
  for (const std::string& variant : op_named("luminance")->bench->variants()) {
    const Call call = call_of("luminance", fmt::format("{} {}", variant, words));
    if (can_run(call, gpu.info().traits)) calls.push_back(call);
  }
  REQUIRE(!calls.empty());
  return calls;
}

Level luminances_of(Gpu& gpu, const Call& call, const Level& base, DeviceTraits traits) {
  return std::move(gpu.run(plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, traits), base, 0).levels.at(0));
}

Level white(Size size) {
  Level level{size, TexelBuffer(texel_count(size) * 16)};
  std::ranges::fill(level.texels.as<float>(), 1.0f);
  return level;
}

}  // namespace

GPU_TEST_CASE("every variant of luminance makes what the definition says, at awkward sizes and tiles") {
  // less than a subgroup's cell, more than a workgroup reads at once, lines, and the whole picture
  for (const std::string_view tile : {"--tile 16", "--tile 5x3", "--tile 100x70", "--tile 300x1", "--size 1"})
    for (const Call& call : calls_of(gpu, tile))
      for (const Size size : {Size{1, 1}, {17, 9}, {1, 300}, {257, 129}}) check_call(gpu, call, "noise", size, in_half);
}

GPU_TEST_CASE("every variant of luminance takes every measure of numbers that are hard") {
  for (const std::string_view measure : {"mean", "minimum", "maximum", "count"})
    for (const std::string_view tile : {"--tile 200x100", "--tile 16x9"}) {
      if (tile == "--tile 16x9" && measure != "mean" && !is_thorough()) continue;
      for (const Call& call : calls_of(gpu, fmt::format("{} --measure {}", tile, measure)))
        for (const std::string_view name : {"nonfinite", "huge", "dark"})
          check_call(gpu, call, name, {257, 129}, in_float);
    }
}

GPU_TEST_CASE("a workgroup that goes on from block to block of a large cell reduces each of them") {
  for (const Call& call : calls_of(gpu, "--size 1")) check_call(gpu, call, "ramp", {1030, 700}, in_float);
}

GPU_TEST_CASE("1080p of white is exactly white in every cell, by every variant, at the document's sizes") {
  const Level base = white({1920, 1080});
  for (const auto& [tile, size] : {std::pair{16, Size{120, 68}}, {32, {60, 34}}, {64, {30, 17}}})
    for (const Call& call : calls_of(gpu, fmt::format("--tile {}", tile))) {
      const Level made = luminances_of(gpu, call, base, gpu.info().traits);
      CHECK(made.size == size);
      const auto numbers = made.texels.as<float>();
      CHECK_MESSAGE(std::ranges::all_of(numbers, [](float number) { return number == 1; }), call.text());
    }
}

GPU_TEST_CASE(
    "the pieces of a cell are reduced by the last workgroup or by a pass of their own, each time to the same bits") {
  const Call call = call_of("luminance", "--variant subgroup --size 2x1");
  DeviceTraits traits = gpu.info().traits;
  if (!can_run(call, traits)) return;
  const Level base = pattern("noise", {515, 301}, Depth::f32);
  for (const bool has_memory_model : {true, false}) {
    if (has_memory_model && !gpu.info().traits.has_memory_model) continue;
    traits.has_memory_model = has_memory_model;
    const PlanInput input{.size = base.size, .storage = Depth::f32};
    CHECK(plan({&call, 1}, input, traits).passes.size() == (has_memory_model ? 1 : 2));
    const Level first = luminances_of(gpu, call, base, traits);
    for (const LevelCheck& check : verify({&call, 1}, base, {&first, 1}, 0, Depth::f32))
      CHECK_MESSAGE(check.share <= 1, describe(check));
    for (int run = 0; run < 5; ++run)
      CHECK(std::ranges::equal(luminances_of(gpu, call, base, traits).texels.bytes(), first.texels.bytes()));
  }
}

GPU_TEST_CASE("luminances are floats whatever the picture is, and so is what ops behind them make") {
  const std::vector<Call> chain{call_of("crop", "--window 200x100+3+5"), call_of("luminance", "--tile 3x2"),
                                call_of("blur", "--radius 1"), call_of("resize", "--size 50%")};
  CHECK(result_depth(chain, Depth::half) == Depth::f32);
  for (const std::string_view name : {"noise", "nonfinite"}) check_chain(gpu, chain, name, {257, 129}, in_half);
  const std::vector<Call> unfused{call_of("luminance", "--tile 3x2"), call_of("gain", "--value 2")};
  check_chain(gpu, unfused, "noise", {257, 129}, in_half, {.fuses = false});
  const Call count = call_of("luminance", "--size 1 --measure count");
  const Level base = white({300, 257});  // as a half it would be infinite
  CHECK(luminances_of(gpu, count, base, gpu.info().traits).texels.as<float>()[0] == 300 * 257);
}

GPU_TEST_CASE("point ops before luminance are done as it loads, those behind it as it stores") {
  const std::vector<Call> chain{call_of("exposure", "--stops 1"), call_of("gain", "--red 0.5 --green 2"),
                                call_of("luminance", "--tile 7"), call_of("gamma", "--value 2")};
  const PlanInput input{.size = {257, 129}, .storage = Depth::half};
  const Plan made = plan(chain, input, gpu.info().traits);
  CHECK(made.passes.front().points.on_load.size() == 2);
  CHECK(made.passes.back().points.on_store.size() == 1);
  for (const std::string_view name : {"constant", "ramp"}) check_chain(gpu, chain, name, input.size, in_half);
}

GPU_TEST_CASE("luminances of Yxy are those of the colors") {
  const std::vector<Call> chain{call_of("blur", "--radius 1"), call_of("luminance", "--tile 9x5 --weights document")};
  const Level base = pattern("ramp", {65, 33}, Depth::f32);
  std::vector<std::vector<double>> found;
  for (const Space between : {Space::rgb, Space::yxy}) {
    const PlanInput input{.size = base.size, .storage = Depth::f32, .between = between};
    found.push_back(numbers_of(gpu.run(plan(chain, input, gpu.info().traits), base, 0).levels.at(0), Depth::f32));
  }
  REQUIRE(found[0].size() == 4 * 8 * 7);
  for (size_t index = 0; index < found[0].size(); ++index)
    CHECK(found[1][index] == doctest::Approx(found[0][index]).epsilon(1e-5));
}
