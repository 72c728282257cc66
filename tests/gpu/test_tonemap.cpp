// Tone mapping and local gamma on the device, where the examples of their rows do not go.
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

GPU_TEST_CASE("curves of the luminance are the same in Yxy, behind other ops and in a pass of their own") {
  for (const std::string_view curve : {"reinhard", "hable", "logarithmic --white 20"})
    for (const std::string_view chroma : {"keep", "ratio", "per-channel"})
      for (const bool fuses : {true, false}) {
        const std::vector<Call> chain{call_of("exposure", "--stops 2"),
                                      call_of("tonemap", fmt::format("--curve {} --chroma {}", curve, chroma)),
                                      call_of("saturation", "--factor 0.9")};
        for (const std::string_view pattern : {"ramp", "nonfinite"})
          check_chain(gpu, chain, pattern, {33, 17}, kinds[1], {.fuses = fuses});
      }
}

GPU_TEST_CASE("numbers of curves that are not their defaults reach the device") {
  for (const std::string_view words :
       {"--curve day --white 5 --black 0.05 --toe 0.5 --shoulder 0.6 --crossover 1",
        "--curve hable --white 8 --shoulder 0.22 --linear 0.3 --angle 0.15 --toe 0.25 --toe-numerator 0.01 "
        "--toe-denominator 0.31",
        "--curve drago --white 10 --average 0.5 --display 80 --bias 0.75", "--curve ward --average 5 --display 50",
        "--curve logarithmic --white 5 --strength 10",
        "--curve lottes --white 16 --contrast 1.2 --shoulder 0.9 --mid-in 0.2 --mid-out 0.3",
        "--curve uchimura --peak 2 --contrast 1.5 --linear-start 0.3 --linear 0.5 --toe 1.5 --pedestal 0.01",
        "--curve reinhard --saturation 0.5 --fit --key 0.3 --average 0.1"})
    for (const Kind kind : {kinds[0], kinds[1]}) check_call(gpu, call_of("tonemap", words), "ramp", {17, 9}, kind);
}

GPU_TEST_CASE("uchimura is exact far below a bright peak") {
  for (const std::string_view pattern : {"light", "noise", "ramp"})
    check_call(gpu, call_of("tonemap", "--curve uchimura --peak 100 --contrast 0.1 --linear 0"), pattern, {65, 33},
               kinds[0]);
}

GPU_TEST_CASE("the picture's own numbers are those of the picture as it is where the curve stands in the chain") {
  const std::vector<std::vector<Call>> chains{
      {call_of("exposure", "--stops 3"), call_of("tonemap", "--curve drago"), call_of("tonemap", "--curve hable")},
      {call_of("blur", "--radius 2"), call_of("tonemap", "--curve reinhard-extended --key 0.3"),
       call_of("localgamma", "--adapt-radius 2")},
      {call_of("tonemap", "--curve exponential --fit"), call_of("luminance", "--tile 4")}};
  for (const std::vector<Call>& chain : chains)
    for (const bool fuses : {true, false}) check_chain(gpu, chain, "ramp", {33, 17}, kinds[1], {.fuses = fuses});
}

GPU_TEST_CASE("the local curve is right behind, before and between other ops, however images are kept between them") {
  const std::vector<Call> chain{call_of("exposure", "--stops 1"), call_of("blur", "--radius 1"),
                                call_of("tonemap", "--curve reinhard-local --key 0.3 --scales 5"),
                                call_of("saturation", "--factor 0.8"), call_of("flip", "x")};
  for (const bool fuses : {true, false})
    for (const Space between : {Space::rgb, Space::yxy})
      for (const std::string_view pattern : {"ramp", "noise", "impulse"})
        check_chain(gpu, chain, pattern, {33, 17}, kinds[1], {.fuses = fuses, .between = between});
}

GPU_TEST_CASE("light over the largest half goes into a curve as it is, and into the local curve as images hold it") {
  for (const std::string_view words : {"--curve logarithmic --white 1000000", "--curve reinhard-local --white 1000"})
    check_chain(gpu, std::vector<Call>{call_of("exposure", "--stops 18"), call_of("tonemap", words)}, "ramp", {33, 17},
                kinds[1]);
}

GPU_TEST_CASE("the local curve is right by the passes that a GPU gets, in any space") {
  const DeviceTraits traits = as_gpu(gpu);
  const Call call = call_of("tonemap", "--curve reinhard-local --key 0.3");
  for (const Space space : {Space::rgb, Space::yxy})
    for (const std::string_view name : {"ramp", "noise"}) {
      const Level base = pattern(name, {65, 33}, Depth::f32);
      const PlanInput input{.size = base.size, .storage = Depth::f32, .between = space};
      const Plan made = plan({&call, 1}, input, traits);
      CHECK(std::ranges::any_of(made.passes, [](const Pass& pass) { return pass.kernel.starts_with("blur/strip"); }));
      for (const LevelCheck& check : verify({&call, 1}, base, gpu.run(made, base, 0).levels, 0, Depth::f32))
        CHECK_MESSAGE(check.share <= 1, name, ": ", describe(check));
    }
}

TEST_CASE("the local curve goes through its scales in memory that does not grow with their number") {
  const auto image_bytes = [](int scales) {
    const Call call = call_of("tonemap", fmt::format("--curve reinhard-local --scales {}", scales));
    size_t sum = 0;
    for (const PlanImage& image : plan({&call, 1}, {.size = {1024, 1024}}, {}).images) sum += bytes_of(image);
    return sum;
  };
  // wide gaussians leave images of their coarser grids, which get smaller from scale to scale
  CHECK(image_bytes(14) <= 9 * size_t(1024 * 1024 * 16));
  CHECK(image_bytes(14) <= 2 * image_bytes(3));
}

GPU_TEST_CASE("light goes through Yxy and back within a millionth of the brightest channel") {
  // a curve that changes nothing: all that is left is the way there and back
  const Call call = call_of("tonemap", "--curve reinhard-extended --white 1");
  const Level base = pattern("ramp", {33, 17}, Depth::f32);
  const Plan made = plan({&call, 1}, {.size = base.size, .storage = Depth::f32}, gpu.info().traits);
  REQUIRE(made.passes[0].points.on_store[0].space == PointSpace::yxy);
  const std::vector<double> before = numbers_of(base, Depth::f32);
  const std::vector<double> after = numbers_of(gpu.run(made, base, 0).levels[0], Depth::f32);
  for (size_t index = 0; index < before.size(); ++index)
    CHECK(std::abs(after[index] - before[index]) <= 1e-6 * std::max(1.0, before[index / 4 * 4 + 2]));
}
