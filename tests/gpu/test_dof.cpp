// Depth of field and bloom on the device, beyond their rows' examples.
#include "core/base/half.h"
#include "core/op/parse.h"
#include "core/reference/verify.h"
#include "tests/support/device.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/synthetic_images.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Opaque black but for one texel.
Level point_of_light(Size size, Position at, float light) {
  return made_level(size, Depth::f32, 0, [&](int x, int y, size_t component, int) {
    return bits_of_float(component == 3 ? 1 : x == at.x && y == at.y ? light : 0);
  });
}

Plan plan_of(std::span<const Call> calls, Size size, const Gpu& gpu) {
  return plan(calls, {.size = size, .storage = Depth::f32}, gpu.info().traits);
}

}  // namespace

// Thorough: to the host circles of other sizes are other constants of the same passes.
GPU_TEST_CASE("a point of light keeps its energy in circles of every size, before and behind the focus" *
              doctest::test_suite("thorough")) {
  const Size size{130, 129};  // no circle that reaches the border reaches the light
  const Level base = point_of_light(size, {65, 64}, 5000);
  for (const char* words : {"", "--blades 6 --rotation 11", "--blades 5 --roundness 0.4"})
    for (const double distance : {0.8, 1.4, 1.9, 2.4, 6.0}) {
      Call call = call_of("dof", words + std::string(" --f-stop 1 --sensor-width 4 --max-radius 40"));
      call.depth =
          std::make_shared<Plane>(Plane{.size = size, .values = std::vector<double>(texel_count(size), distance)});
      const RunResult result = gpu.run(plan_of({&call, 1}, size, gpu), base, 0);
      const std::vector<double> numbers = numbers_of(result.levels[0], Depth::f32);
      double sum = 0;
      for (size_t index = 0; index < numbers.size(); index += 4) sum += numbers[index];
      CHECK_MESSAGE(std::abs(sum - 5000) < 50, call.text(), " at ", distance);
      for (const LevelCheck& check : verify({&call, 1}, base, result.levels, 0, Depth::f32))
        CHECK_MESSAGE(check.share <= 1, call.text(), " at ", distance, ": ", describe(check));
    }
}

GPU_TEST_CASE(
    "depth of field and bloom are the same in Yxy, in chains, and where point ops stand before and behind them") {
  const Route in_yxy{.between = Space::yxy};
  const std::vector<std::vector<Call>> chains{
      {call_of("dof", "--max-radius 5")},
      {call_of("dof", "--max-radius 6 --resolution half")},
      {call_of("bloom", "--radius 9 --threshold 0.1 --tint 1,0.5,0.25")},
      {call_of("bloom", "--radius 2 --threshold 0.1"), call_of("dof", "--max-radius 6 --resolution half")},
      {call_of("dof", "--max-radius 5"), call_of("blur", "--radius 2")},
      {call_of("gain", "--value 0.5"), call_of("bloom", "--radius 20 --threshold 0.1"),
       call_of("offset", "--value 0.1")},
      {call_of("flip", "x"), call_of("dof", "--max-radius 3 --blades 5"),
       call_of("bloom", "--radius 5 --threshold 0.3"), call_of("dof", "--max-radius 3")}};
  for (const std::vector<Call>& chain : chains)
    for (const Route& route : {Route{}, in_yxy}) {
      check_chain(gpu, chain, "noise", {67, 41}, kinds[0], route);
      check_chain(gpu, chain, "noise", {67, 41}, kinds[1], route);
    }
}
