// Every row's examples on the device against the row's definition.
#include "core/base/error.h"
#include "core/op/benchmark.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/reference/verify.h"
#include "core/system/sandbox.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/tested_ops.h"
#include "tests/support/thorough.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace gpupost;
using namespace gpupost::test;

GPU_TEST_CASE("every example of every row gives what its definition says, at awkward sizes and on awkward numbers") {
  // An example has every other size in turn, and all if its row has no other example. Each size has one kind of texels and half of the
  // patterns, in turn. If thorough, all have all. The sanitizers see code of the host, which is the same at every size but for a few.
  size_t example_index = 0, turn = 0;
  const std::vector<std::string_view> names = pattern_names();
  const std::vector<Size> sizes = awkward_sizes();
  for (const Op* op : tested_ops())
    for (const std::string_view example : op->doc.examples) {
      if (op->prepare) continue;  // it reads files
      const Call call = call_of_example(*op, example);
      if (!can_run(call, gpu.info().traits)) continue;
      const size_t step = is_thorough() ? 1 : is_sanitized() ? sizes.size() : op->doc.examples.size() == 1 ? 1 : 2;
      for (size_t at = example_index++ % step; at < sizes.size(); at += step, ++turn) {
        std::span<const Kind> own_kinds = kinds_of(call, sizes[at], gpu.info().traits);
        const size_t half = turn / own_kinds.size() % 2;
        if (!is_thorough()) own_kinds = own_kinds.subspan(turn % own_kinds.size(), 1);
        for (const Kind kind : own_kinds)
          for (size_t index = is_thorough() ? 0 : half; index < names.size(); index += is_thorough() ? 1 : 2)
            check_call(gpu, call, names[index], sizes[at], kind);
      }
    }
}

GPU_TEST_CASE("each method of mips is right at sizes that go through every part of it" *
              doctest::test_suite("thorough")) {
  const Op& op = *op_named("mips");
  // even all the way, even for three to five levels, odd at once, longer than a tile's share in one direction
  const Size sizes[] = {{1919, 1081}, {1920, 1080}, {2560, 1440}, {512, 512}, {1024, 8},  {8, 1024},
                        {65, 63},     {127, 127},   {4095, 3},    {3, 4095},  {1366, 768}};
  size_t turn = 0;  // of the kinds: each method meets each of them
  for (const std::string_view example : {"--method single-pass", "--method per-level"})
    for (const Size size : sizes) {
      const Call call = parse_call(op, example);
      const std::span<const Kind> own_kinds = kinds_of(call, size, gpu.info().traits);
      check_call(gpu, call, "noise", size, own_kinds[turn++ % own_kinds.size()]);
    }
}

GPU_TEST_CASE("the single pass takes sides above 4096 in the same dispatch") {
  const Call call = parse_call(*op_named("mips"), "--method single-pass");
  for (const Size size : {Size{8192, 64}, Size{64, 8192}, Size{5000, 130}, Size{16384, 256}}) {
    check_call(gpu, call, "noise", size, kinds[1]);
    const PlanInput input{.size = size, .storage = Depth::half};
    CHECK(plan({&call, 1}, input, gpu.info().traits).passes.size() == 1);
  }
}

GPU_TEST_CASE("crops of every corner are bit for bit what was there") {
  for (const char* window :
       {"--window 100x7+0+0", "--window 3x120+254+9", "--window 65x5+192+124", "--window 257x129+0+0"})
    for (const Kind kind : kinds) check_call(gpu, call_of("crop", window), "nonfinite", {257, 129}, kind);
}

GPU_TEST_CASE("crop to a window copies bit for bit, and texels beyond the data window are 0") {
  const Window data{-3, 5, 253, 133};
  for (const Window& display : {data, Window{-10, 0, 299, 199}, Window{100, 50, 120, 70}, Window{-100, 100, 50, 300},
                                Window{1000, 1000, 1009, 1004}})
    for (const char* to : {"--to data", "--to display"})
      for (const Kind kind : kinds) {
        Call call = call_of("crop", to);
        call.windows = {.data = data, .display = display};
        check_call(gpu, call, "nonfinite", {257, 129}, kind);
      }
}

GPU_TEST_CASE("a chain is the ops one after the other, and its tolerance the sum of theirs") {
  const std::vector<std::vector<Call>> chains{
      {call_of("flip", "x"), call_of("crop", "--window 100x77+3+5"), call_of("flip", "y"), call_of("mips", "")},
      {call_of("crop", "--window 33x1+0+128"), call_of("mips", "--levels 3")},
      {call_of("flip", "xy"), call_of("flip", "xy")},
      {call_of("resize", "--size 50%"), call_of("flip", "x"), call_of("mips", "")},
      {call_of("crop", "--window 9x128+1+1"), call_of("resize", "--size 40x31 --hicomp"),
       call_of("resize", "--size 33x64 --filter mitchell"), call_of("mips", "--filter kaiser")}};
  for (const std::vector<Call>& chain : chains)
    for (const std::string_view name : {"noise", "nonfinite"})
      for (const Kind kind : kinds) check_chain(gpu, chain, name, {257, 129}, kind);
}

GPU_TEST_CASE("every variant of the single pass is right where it goes through all of its parts" *
              doctest::test_suite("thorough")) {
  // six even levels and then two, or four more in blocks that overlap
  const std::pair<Size, Kind> cases[] = {{{256, 256}, kinds[0]}, {{320, 192}, kinds[2]}};
  size_t turn = 0;  // of the cases: neighbors, and what a variant is with the other fetch, meet both of them
  for (const std::string& variant : op_named("mips")->bench->variants()) {
    const auto& [size, kind] = cases[(turn++ + variant.ends_with("linear")) % 2];
    const Call call = call_of("mips", variant);
    const DeviceTraits& traits = gpu.info().traits;
    const bool needs_wide_subgroups = variant.find("shuffle") != variant.npos && traits.subgroup.size < 16;
    if (needs_wide_subgroups) {
      CHECK_THROWS_WITH_AS(plan({&call, 1}, {.size = size, .storage = kind.depth}, traits),
                           doctest::Contains("needs subgroups of 16 threads; the device has"), Error);
      continue;
    }
    check_call(gpu, call, "noise", size, kind);
  }
}

GPU_TEST_CASE("a linear sampler between four texels gives their mean, of every number") {
  for (const std::string_view name : pattern_names())
    for (const Kind kind : kinds)
      if (kind.depth == Depth::half || gpu.info().traits.filters_f32)
        check_call(gpu, call_of("mips", "--variant amd-2x2+shared-packed+linear"), name, {256, 192}, kind);
}

GPU_TEST_CASE("what is stored as a half is the nearest one, on every device") {
  // sums of weights that are a little less than one: cut off they would be the half below
  for (const std::string_view words :
       {"--radius 7", "--sigma 3", "--radius 7 --method shared", "--radius 2 --zcurve"}) {
    const Call call = call_of("blur", words);
    const Level base = pattern("ramp", {65, 33}, Depth::half);  // no sum comes near zero
    const std::vector<double> found = numbers_of(
        gpu.run(plan({&call, 1}, {.size = base.size, .storage = Depth::half}, gpu.info().traits), base, 0).levels[0],
        Depth::half);
    const Expected expected = expected_of({&call, 1}, base, Depth::half);
    for (size_t index = 0; index < found.size(); ++index) {
      const double wanted = expected.levels[0][index % 4].values[index / 4];
      const double half_step = std::ldexp(1.0, std::max(-14, std::ilogb(wanted)) - 11);
      CHECK_MESSAGE(std::abs(found[index] - wanted) <= 1.02 * half_step, words, " at ", index);
    }
  }
}
