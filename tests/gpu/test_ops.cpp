// Every row's examples on the device against the row's definition.
#include "core/chain.h"
#include "core/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"

#include <doctest/doctest.h>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// How the numbers are kept and added.
struct Kind {
  Depth depth;
  bool half_arithmetic;
};
constexpr Kind kinds[] = {{Depth::f32, false}, {Depth::half, false}, {Depth::half, true}};

// Runs a call on the device and compares all its levels with the definition.
void check_call(Gpu& gpu, const Call& call, std::string_view pattern_name, Size size, Kind kind) {
  const Level base = pattern(pattern_name, size, kind.depth);
  const PlanInput input{.size = size, .storage = kind.depth, .half_arithmetic = kind.half_arithmetic};
  const Plan made = plan({&call, 1}, input, gpu.info().traits);
  const RunResult result = gpu.run(made, base, 1);
  REQUIRE(int(result.levels.size()) == call.op->level_count(call, size) - 1);
  for (const LevelCheck& check : verify(call, base, result.levels, kind.depth))
    CHECK_MESSAGE(check.share <= 1, call.text(), " on ", pattern_name, " ", size.width, "x", size.height, " ",
                  name_of(kind.depth), kind.half_arithmetic ? " half arithmetic" : "", ": ", describe(check));
}

}  // namespace

TEST_CASE("every example of every row gives what its definition says, at awkward sizes and on awkward numbers") {
  Gpu* gpu = device();
  if (!gpu) return;
  for (const Op* op : all_ops())
    for (const std::string_view example : op->examples)
      for (const Size size : awkward_sizes())
        for (const std::string_view name : pattern_names())
          for (const Kind kind : kinds) check_call(*gpu, parse_call(*op, example), name, size, kind);
}

TEST_CASE("each method of mips is right at sizes that go through every part of it") {
  Gpu* gpu = device();
  if (!gpu) return;
  const Op& op = *op_named("mips");
  // even all the way, even for three to five levels, odd at once, longer than a tile's share in one direction
  const Size sizes[] = {{1919, 1081}, {1920, 1080}, {2560, 1440}, {512, 512}, {1024, 8},  {8, 1024},
                        {65, 63},     {127, 127},   {4095, 3},    {3, 4095},  {1366, 768}};
  for (const std::string_view example : {"--method single-pass", "--method per-level"})
    for (const Size size : sizes)
      for (const Kind kind : kinds) check_call(*gpu, parse_call(op, example), "noise", size, kind);
}

TEST_CASE("the single pass takes sides above 4096 in the same dispatch") {
  Gpu* gpu = device();
  if (!gpu) return;
  const Call call = parse_call(*op_named("mips"), "--method single-pass");
  for (const Size size : {Size{8192, 64}, Size{64, 8192}, Size{5000, 130}}) {
    check_call(*gpu, call, "noise", size, kinds[1]);
    const PlanInput input{.size = size, .storage = Depth::half};
    CHECK(plan({&call, 1}, input, gpu->info().traits).passes.size() == 1);
  }
}
