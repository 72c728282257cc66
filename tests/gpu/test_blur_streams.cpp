// Blurs in one dispatch, as a GPU takes them, on whatever device there is: at edges of strips, segments and groups of rows.
#include "core/verify.h"
#include "tests/support/device.h"
#include "tests/support/held.h"
#include "tests/support/patterns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// The device as a GPU of its abilities: plans differ by the kind of device.
DeviceTraits as_gpu(const Gpu& gpu) {
  DeviceTraits traits = gpu.info().traits;
  traits.type = DeviceType::discrete;
  return traits;
}

void check_stream(Gpu& gpu, std::string_view words, std::string_view pattern_name, Size size, Depth depth) {
  const Call call = call_of("blur", words);
  const Plan made = plan({&call, 1}, {.size = size, .storage = depth}, as_gpu(gpu));
  REQUIRE(made.passes.size() == 1);
  REQUIRE(made.passes[0].kernel.starts_with("blur_stream_"));
  const Level base = pattern(pattern_name, size, depth);
  const RunResult result = gpu.run(made, base, 0);
  const LevelCheck found = verify({&call, 1}, base, result.levels, 0, depth).front();
  CHECK_MESSAGE(found.share <= 1, words, " on ", pattern_name, " ", size.width, "x", size.height, " ", name_of(depth),
                ": ", describe(found));
}

constexpr Depth depths[] = {Depth::f32, Depth::half};

}  // namespace

TEST_CASE("streams of taps are right at every radius that they take") {
  Gpu* gpu = device();
  if (!gpu) return;
  for (const std::string_view words : {"--radius 0", "--radius 1", "--radius 3", "--sigma 1.2", "--sigma 4"})
    for (const Depth depth : depths)
      for (const Size size : {Size{257, 129}, Size{1, 300}, Size{300, 1}})
        check_stream(*gpu, fmt::format("{} --method shared", words), "noise", size, depth);
}

TEST_CASE("streams of sliding sums are right for each number of blocks and rest of rows") {
  Gpu* gpu = device();
  if (!gpu) return;
  // groups of 4, 8 and 16 rows, all of the core in blocks or a rest beside them
  for (const int radius : {3, 4, 8, 12, 17, 23, 24, 33})
    for (const Depth depth : depths)
      check_stream(*gpu, fmt::format("--radius {} --method sliding", radius), "noise", {257, 300}, depth);
}

TEST_CASE(
    "streams treat borders and hard numbers as the definition does, also where the picture is smaller than the "
    "kernel") {
  Gpu* gpu = device();
  if (!gpu) return;
  for (const std::string_view border : {"clamp", "repeat", "mirror", "black", "renormalise"})
    for (const std::string_view way : {"--radius 5 --method sliding", "--radius 26 --method sliding",
                                       "--sigma 1.5 --method shared", "--sigma 3 --axis x --method shared"})
      for (const std::string_view name : {"nonfinite", "huge"})
        for (const Depth depth : depths)
          for (const Size size : {Size{17, 9}, Size{130, 71}})
            check_stream(*gpu, fmt::format("{} --border {}", way, border), name, size, depth);
}
