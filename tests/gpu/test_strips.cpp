// Passes that run in strips give the bits of passes that run whole.
#include "core/engine/floors.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/strips.h"
#include "tests/support/device.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

TEST_CASE("a blur in strips has the bits of a whole one") {
  Gpu* gpu = device();
  if (!gpu) return;
  DeviceTraits strips = gpu->info().traits, whole = strips;
  if (strips.type != DeviceType::cpu || !strips.has_image_buffers) return skip("only CPU devices run strips");
  strips.memory.strip_bytes = 1 << 13;
  whole.memory.strip_bytes = size_t(1) << 40;
  for (const std::string_view arguments :
       {"--radius 1", "--radius 7", "--radius 20", "--sigma 2", "--sigma 4 --method lines", "--radius 5 --axis y",
        "--radius 5 --border black", "--radius 7 --border mirror", "--radius 7 --border renormalize",
        "--radius 7 --border repeat"})
    for (const Size size : {Size{64, 700}, Size{63, 699}, Size{17, 2500}, Size{300, 1201}})
      for (const Depth depth : {Depth::half, Depth::f32}) {
        CAPTURE(std::string(arguments));
        CAPTURE(size.width);
        CAPTURE(name_of(depth));
        const Call call = parse_call(*op_named("blur"), std::string(arguments));
        const PlanInput input{.size = size, .storage = depth};
        const Plan in_strips = plan({&call, 1}, input, strips), at_once = plan({&call, 1}, input, whole);
        const bool has_two = arguments.find("axis") == arguments.npos;
        const bool is_low = arguments == "--radius 20" && size.height < 2000;  // a workgroup makes 528 rows
        const bool has_strips = dispatches_of(in_strips).size() > in_strips.passes.size();
        CHECK(has_strips == (has_two && !is_low && arguments.find("repeat") == arguments.npos));
        CHECK(dispatches_of(at_once).size() == at_once.passes.size());
        const Level base = noise(size, depth);
        const RunResult a = gpu->run(in_strips, base, 0), b = gpu->run(at_once, base, 0);
        CHECK(std::ranges::equal(a.levels.at(0).texels.bytes(), b.levels.at(0).texels.bytes()));
        CHECK(a.times.pass_ms.size() == in_strips.passes.size());
      }
}
