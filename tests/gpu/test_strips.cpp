// Passes that run in strips give the bits of passes that run whole.
#include "core/engine/floors.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/strips.h"
#include "tests/support/device.h"
#include "tests/support/thorough.h"
#include "tests/support/tiled_runs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Traits of the device whose plans have strips of some rows, and none. Nothing, with a note, where they cannot run.
std::optional<std::array<DeviceTraits, 2>> traits_of(const Gpu& gpu) {
  DeviceTraits strips = gpu.info().traits, whole = strips;
  if (strips.type != DeviceType::cpu || !strips.has_image_buffers) {
    skip("only CPU devices run strips");
    return {};
  }
  strips.memory.strip_bytes = 1 << 13;
  whole.memory.strip_bytes = size_t(1) << 40;
  return std::array{strips, whole};
}

// Halves or floats in turn; both if thorough.
std::vector<Depth> depths_of(size_t turn) {
  if (is_thorough()) return {Depth::half, Depth::f32};
  return {turn % 2 == 0 ? Depth::half : Depth::f32};
}

void check_same_bits(Gpu& gpu, const std::array<DeviceTraits, 2>& traits, const Call& call, const PlanInput& input,
                     bool runs_in_strips) {
  CAPTURE(call.text());
  CAPTURE(input.size.width);
  CAPTURE(input.size.height);
  CAPTURE(name_of(input.storage));
  const Plan in_strips = plan({&call, 1}, input, traits[0]), at_once = plan({&call, 1}, input, traits[1]);
  CHECK((dispatches_of(in_strips).size() > in_strips.passes.size()) == runs_in_strips);
  CHECK(dispatches_of(at_once).size() == at_once.passes.size());
  const Level base = noise(input.size, input.storage);
  const RunResult a = gpu.run(in_strips, base, 0), b = gpu.run(at_once, base, 0);
  CHECK(std::ranges::equal(a.levels.at(0).texels.bytes(), b.levels.at(0).texels.bytes()));
  CHECK(a.times.pass_ms.size() == in_strips.passes.size());
}

}  // namespace

GPU_TEST_CASE("a blur in strips has the bits of a whole one") {
  const auto traits = traits_of(gpu);
  if (!traits) return;
  size_t turn = 0;  // each size meets both depths with other arguments
  for (const std::string_view arguments :
       {"--radius 1 --method sliding", "--radius 7 --method sliding", "--radius 20 --method sliding",
        "--sigma 5 --method spline", "--sigma 2 --method lines", "--sigma 4 --method lines",
        "--radius 5 --axis y --method sliding", "--radius 5 --border black --method sliding",
        "--radius 7 --border mirror --method sliding", "--radius 7 --border renormalize --method sliding",
        "--radius 7 --border repeat --method sliding"}) {
    ++turn;
    for (const Size size : {Size{64, 700}, Size{63, 699}, Size{17, 2500}, Size{300, 1201}})
      for (const Depth depth : depths_of(turn++)) {
        const bool has_two = arguments.find("axis") == arguments.npos;
        const bool is_low = arguments.starts_with("--radius 20") && size.height < 2000;  // a workgroup makes 528 rows
        check_same_bits(gpu, *traits, parse_call(*op_named("blur"), std::string(arguments)),
                        {.size = size, .storage = depth},
                        has_two && !is_low && arguments.find("repeat") == arguments.npos);
      }
  }
}

GPU_TEST_CASE("a resize in strips has the bits of a whole one") {
  const auto traits = traits_of(gpu);
  if (!traits) return;
  size_t turn = 0;  // each size meets both depths with other arguments
  for (const std::string_view arguments :
       {"--size 50%", "--size 64x333 --filter box", "--size 130% --filter mitchell --border mirror",
        "--size 37% --ringing keep --filter kaiser", "--size 60% --border repeat", "--fill 60x60"}) {
    ++turn;
    for (const Size size : {Size{64, 900}, Size{301, 1203}})
      for (const Depth depth : depths_of(turn++)) {
        // rows that are far apart, or of a part of the image
        const bool needs_all = arguments.find("repeat") != arguments.npos || arguments.find("fill") != arguments.npos;
        check_same_bits(gpu, *traits, parse_call(*op_named("resize"), std::string(arguments)),
                        {.size = size, .storage = depth}, !needs_all);
      }
  }
}
