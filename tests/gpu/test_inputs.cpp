// A picture beside the one that a chain is run on: it comes to the device as it is, whole or part by part.
#include "core/engine/floors.h"
#include "core/engine/run_chain.h"
#include "core/plan/builder.h"
#include "tests/support/device.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// The other picture, in the place of the chain's.
const Op other_op{.name = "other",
                  .output = [](const Call&, std::span<const Output> inputs) { return inputs[1]; },
                  .footprint = [](const Call&, Size) { return Footprint{.kind = Footprint::Kind::around}; },
                  .plan =
                      [](const Call& call, PlanBuilder& builder) {
                        const int source = builder.add_input(call.inputs[0]);
                        const PlanImage image = builder.image(source);
                        PassSpec pass{.name = "other",
                                      .kernel = "shared/copy.glsl",
                                      .defines = {{"COLUMNS", 64}, {"TEXELS", 4}, {"THREADS", 256}, {"CLAMPS_LAST", 0}},
                                      .values = {{"end_x", image.size.width}, {"end_y", image.size.height}},
                                      .grid = {.count = {(image.size.width + 63) / 64, (image.size.height + 15) / 16}},
                                      .source = {.image = source}};
                        builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
                      }};

Call other(Size size, Depth depth) {
  Call call = default_call(other_op);
  call.inputs.push_back(
      {.picture = {.size = size, .depth = depth}, .texels = std::make_shared<const Level>(noise(size, depth))});
  return call;
}

bool are_equal(const Level& a, const Level& b) {
  return a.size == b.size && std::ranges::equal(a.texels.bytes(), b.texels.bytes());
}

}  // namespace

GPU_TEST_CASE("a second picture of any size comes to the device as it is") {
  for (const Depth depth : {Depth::half, Depth::f32})
    for (const Size size : {Size{1, 1}, Size{17, 9}, Size{130, 70}}) {
      const Call call = other(size, depth);
      const Plan made = plan({&call, 1}, {.size = {31, 20}, .storage = depth}, gpu.info().traits);
      Level base = noise({31, 20}, depth);
      std::memset(base.texels.data(), 0, base.texels.size());
      const RunResult result = gpu.run(made, base, 0);
      CHECK(are_equal(result.levels.front(), *call.inputs[0].texels));
    }
}

GPU_TEST_CASE("a part of a picture takes the same part of a second picture") {
  const Size size{40, 30};
  const Call call = other(size, Depth::f32);
  const PlanInput input{.size = {16, 8}, .storage = Depth::f32, .whole = size, .corner = {5, 7}};
  const Plan made = plan({&call, 1}, input, gpu.info().traits);
  const RunResult result = gpu.run(made, noise({16, 8}, Depth::f32), 0);
  CHECK(are_equal(result.levels.front(), part_of(*call.inputs[0].texels, {{5, 7}, {16, 8}}, Depth::f32)));
}
