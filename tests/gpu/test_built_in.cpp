// What the build compiles: a first run of an ordinary call finds all of its shaders.
#include "core/glsl/shader_text.h"
#include "core/gpu/cache.h"
#include "core/gpu/spirv.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"
#include "tests/support/device.h"

#include <doctest/doctest.h>

#include <set>

using namespace gpupost;
using namespace gpupost::test;

TEST_CASE("a first run of an example at a usual size compiles nothing on a CPU device") {
  const Gpu* gpu = device();
  if (!gpu) return;
  const DeviceTraits& traits = gpu->info().traits;
  if (traits.type != DeviceType::cpu) return skip("GPUs differ in what their shaders use");
  std::set<uint64_t> built_in;
  for (const BuiltInSpirv& shader : built_in_spirv()) built_in.insert(shader.hash);
  for (const Op* op : all_ops()) {
    if (!op->reference.levels) continue;
    for (const std::string_view example : op->doc.examples) {
      const Call call = parse_call(*op, example);
      if (example.find("--method") != example.npos) continue;
      // not those that the build plans for
      for (const Size size : {Size{1280, 720}, Size{3840, 2160}, Size{2048, 2048}, Size{6000, 4000}, Size{640, 480}})
        for (const Depth storage : {Depth::half, Depth::f32})
          for (const Pass& pass : plan({&call, 1}, {.size = size, .storage = storage}, traits).passes)
            CHECK_MESSAGE(built_in.contains(hash_of(glsl_of(pass))), op->name, " ", example, ": ", pass.name, " of ",
                          size.width, " x ", size.height);
    }
  }
}
