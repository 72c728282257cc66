// What is measured is right, and so is what it is measured with.
#include "core/base/error.h"
#include "core/engine/bench.h"
#include "core/engine/claims.h"
#include "core/engine/floors.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/builder.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr Size sizes[] = {{1, 1}, {3, 5}, {17, 9}, {257, 129}};
constexpr MeasureOptions short_run{.most_repeats = 20, .warm_up_ms = 1};

std::vector<double> floor_result(Gpu& gpu, const Plan& plan, const Level& base) {
  return numbers_of(gpu.run(plan, base, 0).levels.at(0), plan.images[1].depth);
}

Level constant(Size size, float value) {
  Level level{size, TexelBuffer(texel_count(size) * 16)};
  for (float& number : level.texels.as<float>()) number = value;
  return level;
}

const Op& mips() { return *op_named("mips"); }

Plan single_pass_plan(const Gpu& gpu, Size size) {
  const Call call = parse_call(mips(), "--method single-pass");
  return plan({&call, 1}, {.size = size, .storage = Depth::half}, gpu.info().traits);
}

}  // namespace

GPU_TEST_CASE("the copying floor copies every texel in every shape") {
  for (const Size size : sizes) {
    const Level base = pattern("noise", size, Depth::f32);
    for (const Plan& plan : floor_plans(Floor::copy, size, Depth::f32))
      CHECK_MESSAGE(floor_result(gpu, plan, base) == numbers_of(base, Depth::f32), plan.passes[0].name, " ", size.width,
                    "x", size.height);
  }
}

GPU_TEST_CASE("the floor of a third takes the mean of three rows in every shape") {
  for (const Size size : sizes) {
    const Level base = pattern("noise", size, Depth::f32);
    const std::vector<double> numbers = numbers_of(base, Depth::f32);
    for (const Plan& plan : floor_plans(Floor::third, size, Depth::f32)) {
      const std::vector<double> means = floor_result(gpu, plan, base);
      const size_t row = 4 * size_t(size.width);
      double worst = 0;
      for (size_t index = 0; index < means.size(); ++index) {
        double sum = 0;
        for (int tap = 0; tap < 3; ++tap)
          sum += numbers[size_t(std::min(3 * int(index / row) + tap, size.height - 1)) * row + index % row];
        worst = std::max(worst, std::abs(means[index] - sum / 3));
      }
      CHECK_MESSAGE(worst < 1e-6, plan.passes[0].name, " ", size.width, "x", size.height);
    }
  }
}

GPU_TEST_CASE("the floor that only reads depends on what it reads") {
  const Size size{257, 129};
  for (const Plan& plan : floor_plans(Floor::read, size, Depth::f32)) {
    const float each = float(plan.passes[0].defines[1].value);
    for (const auto& [value, found] : {std::pair{-12288 / each, -12288.0f}, {0.5f, 1.0f}}) {  // 1: what stood there
      const RunResult result = gpu.run(plan, gpu.image_sets(plan, constant(size, value)), 0);
      CHECK(result.levels.at(0).texels.as<float>()[0] == found);
    }
  }
}

GPU_TEST_CASE("images of 8 bits hold the levels that the definition has, at awkward sizes") {
  int turn = 0;
  for (const std::string arguments : {"--method per-level", "--method single-pass"})
    for (const Size size : awkward_sizes()) {
      const bool half_arithmetic = turn++ % 2 == 1;
      const Call call = parse_call(mips(), arguments);
      const Level base = noise(size, Depth::u8);
      const PlanInput input{.size = size, .storage = Depth::u8, .half_arithmetic = half_arithmetic};
      const RunResult result = gpu.run(plan({&call, 1}, input, gpu.info().traits), base, 0);
      CHECK(std::ranges::equal(result.levels.at(0).texels.bytes(), base.texels.bytes()));
      for (const LevelCheck& check : verify({&call, 1}, base, std::span(result.levels).subspan(1), 1, Depth::u8))
        CHECK_MESSAGE(check.share <= 1, arguments, " ", size.width, "x", size.height, ": ", describe(check));
    }
}

GPU_TEST_CASE("copies of a picture to go round: a run on them gives what a run on its own images gives") {
  const Size size{257, 129};
  const Plan plan = single_pass_plan(gpu, size);
  const Level base = pattern("noise", size, Depth::half);
  const ImageSets sets = gpu.image_sets(plan, base);
  CHECK(sets.count() >= 2);
  CHECK(sets.are_for(plan));
  CHECK(!sets.are_for(single_pass_plan(gpu, {256, 128})));
  const RunResult own = gpu.run(plan, base, 1), shared = gpu.run(plan, sets, 1);
  REQUIRE(own.levels.size() == shared.levels.size());
  for (size_t level = 0; level < own.levels.size(); ++level)
    CHECK(std::ranges::equal(own.levels[level].texels.bytes(), shared.levels[level].texels.bytes()));
}

GPU_TEST_CASE("a measurement has as many repeats as were asked for, each of some length") {
  const Plan copy = floor_plans(Floor::copy, {128, 64}, Depth::half).front();
  const ImageSets sets = gpu.image_sets(copy, noise({128, 64}, Depth::half));
  const Measurement measured = gpu.measure(copy, sets, short_run);
  CHECK(measured.milliseconds.size() == 20);
  for (const double milliseconds : measured.milliseconds) CHECK(milliseconds > 0);
  CHECK(gpu.measure(copy, sets, {.budget_ms = 0, .warm_up_ms = 1}).milliseconds.size() == 20);
  CHECK(gpu.measure(copy, sets, {.slow_ms = 0, .budget_ms = 0, .warm_up_ms = 1}).milliseconds.size() == 5);
}

GPU_TEST_CASE("more work takes longer") {
  const auto median = [&](Size size) {
    const Plan copy = floor_plans(Floor::copy, size, Depth::f32).front();
    return summary_of(gpu.measure(copy, gpu.image_sets(copy, noise(size, Depth::f32)), short_run).milliseconds)
        .median_ms;
  };
  CHECK(median({1024, 512}) > 2 * median({64, 32}));
}

GPU_TEST_CASE("a pass that leaves its counters behind cannot be measured") {
  const Size size{257, 129};
  Plan plan = single_pass_plan(gpu, size);
  plan.passes.at(0).memory.zeroed_bytes = plan.passes[0].memory.scratch_bytes;  // what workgroups hand on stays there
  const ImageSets sets = gpu.image_sets(plan, noise(size, Depth::half));
  CHECK_THROWS_WITH_AS(gpu.measure(plan, sets, short_run), "mips single pass: does not reset its counters to zero",
                       Error);
}

GPU_TEST_CASE("a variant whose levels are wrong is told, and not timed") {
  Op wrong = mips();
  wrong.plan = [](const Call& call, PlanBuilder& builder) {
    PlanImage& image = builder.image(builder.current_image());
    image.level_count = result_level_count({&call, 1}, image.size);
  };
  const BenchCase result = bench(gpu, wrong, variants_of(wrong, true, false), {{37, 21}, Depth::half}, short_run);
  REQUIRE(result.variants.size() == mips().bench->variants().size());
  for (const VariantResult& variant : result.variants) {
    CHECK(variant.failure.starts_with("level 1: largest error"));
    CHECK(variant.times.count == 0);
  }
}

GPU_TEST_CASE("a variant that cannot be done says why") {
  const std::vector<Variant> variants{{"--method per-level", true}};
  const BenchCase result = bench(gpu, mips(), variants, {{37, 21}, Depth::f32}, short_run);
  CHECK(result.variants.at(0).obstacle == "half arithmetic needs images of at most 16 bits");
  CHECK(result.variants[0].times.count == 0);
  const BenchCase large = bench(gpu, mips(), variants, {{32768 + 1, 1}, Depth::half}, short_run);
  CHECK(large.obstacle.find("texels per side") != std::string::npos);
}

GPU_TEST_CASE("what holds on noise may fail on hard numbers, and is then found out" * doctest::test_suite("thorough")) {
  const Op& op = *op_named("mips");
  const Size even{4096, 4096}, odd{1919, 1081};
  CHECK(failure_on_hard_numbers(gpu, op, {"--method per-level"}, even, Depth::f32) == "");
  CHECK(failure_on_hard_numbers(gpu, op, {"--method per-level"}, odd, Depth::half) == "");
  CHECK(failure_on_hard_numbers(gpu, op, {"--method single-pass"}, even, Depth::half) == "");
  CHECK(failure_on_hard_numbers(gpu, op, {"--method single-pass"}, odd, Depth::f32) == "");
  CHECK(failure_on_hard_numbers(gpu, op, {"--variant amd-2x2+shared+linear"}, {256, 256}, Depth::half) == "");
  Op finite = op;  // whose definition has no infinities
  finite.reference.levels = [](const Call& call, Planes base) {
    std::vector<Planes> levels = op_named("mips")->reference.levels(call, std::move(base));
    for (Planes& level : levels)
      for (Plane& plane : level)
        for (double& value : plane.values)
          if (std::isinf(value)) value = 0;
    return levels;
  };
  CHECK(failure_on_hard_numbers(gpu, finite, {"--method per-level"}, {256, 256}, Depth::half) != "");
}

GPU_TEST_CASE("a setting stands behind every variant, and what does not go with it is not possible") {
  const std::vector<Variant> variants{{"--method direct"}, {"--kernel box"}, {"--axis x"}};
  const BenchPlace place{{37, 21}, Depth::half, {"sigma", 2}};
  const BenchCase result = bench(gpu, *op_named("blur"), variants, place, short_run);
  CHECK(result.place == place);
  REQUIRE(result.variants.size() == 3);
  CHECK(result.variants[0].failure == "");
  CHECK(result.variants[0].times.count == 20);
  CHECK(result.variants[1].obstacle.starts_with("blur: --sigma 2"));
  CHECK(result.variants[1].times.count == 0);
  CHECK(result.variants[2].failure.starts_with("level 0: largest error"));  // it does something else
  CHECK(result.variants[2].times.count == 0);
}

TEST_CASE("a claim of a time is held against the median, one that compares against two of them") {
  Claim claim{.sizes = {{4, 4}}, .depths = {Depth::half}, .slower = "a", .faster = "b"};
  BenchCase measured{.place = {{4, 4}, Depth::half, {}}};
  CHECK(places_of(claim) == std::vector{measured.place});
  measured.floors = {{.times = {.median_ms = 1}, .bytes = 3'000'000}};
  measured.variants = {{.variant = {"a"}, .times = {.median_ms = 3, .count = 20}, .bytes = 6'000'000},
                       {.variant = {"b"}, .times = {.median_ms = 2, .count = 20}, .bytes = 6'000'000}};
  CHECK(claim_result(claim, measured).gain == doctest::Approx(50));
  claim.slower = "";
  const ClaimResult time = claim_result(claim, measured);
  CHECK(time.milliseconds == 2);
  CHECK(time.gb_per_s == doctest::Approx(3));
  CHECK(time.floor_gb_per_s == doctest::Approx(3));
  measured.variants[1].obstacle = "cannot be done";
  CHECK(claim_result(claim, measured).obstacle == "cannot be done");
}

GPU_TEST_CASE("a chain is measured fused and not fused, after it was found right") {
  if (!gpu.info().has_timestamps) return skip("the device has no timestamps");
  const std::vector<Call> chain{parse_call(*op_named("exposure"), "--stops 1"), parse_call(*op_named("clamp"), "")};
  const std::vector<Variant> variants = variants_of(chain_row(), true, false);
  REQUIRE(variants.size() == 2);
  const BenchCase result = bench(gpu, chain, variants, {.size = {64, 48}, .depth = Depth::f32}, short_run);
  REQUIRE(result.variants.size() == 2);
  for (const VariantResult& variant : result.variants) {
    CHECK(variant.failure == "");
    CHECK(variant.times.count == 20);
    CHECK(variant.worst.tolerance > 0);
  }
  CHECK(result.variants[0].bytes == 2 * 64 * 48 * 16);  // one pass
  CHECK(result.variants[1].bytes == 4 * 64 * 48 * 16);  // two
}
