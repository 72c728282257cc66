// What the build compiles: a first run of an ordinary call finds all of its shaders.
#include "core/glsl/shader_text.h"
#include "core/gpu/cache.h"
#include "core/gpu/compile.h"
#include "core/gpu/spirv.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"
#include "tests/support/device.h"
#include "tests/support/reference_check.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <set>

using namespace gpupost;
using namespace gpupost::test;

namespace {

std::set<uint64_t> hashes_of_built_in() {
  std::set<uint64_t> hashes;
  for (const BuiltInSpirv& shader : shaders_of_all_rows()) hashes.insert(shader.hash);
  return hashes;
}

}  // namespace

GPU_TEST_CASE("a first run of an example at a usual size compiles nothing on a CPU device") {
  const DeviceTraits& traits = gpu.info().traits;
  if (traits.type != DeviceType::cpu || !traits.has_image_buffers)
    return skip("other devices differ in what their shaders use");
  const std::set<uint64_t> built_in = hashes_of_built_in();
  for (const Op* op : tested_ops()) {
    if (op->prepare) continue;  // its text is made at run time
    for (const std::string_view example : op->doc.examples) {
      const Call call = parse_call(*op, example);
      if (example.find("--method") != example.npos) continue;
      // not those that the build plans for
      for (const Size size : {Size{1280, 720}, Size{2500, 1500}, Size{2048, 2048}, Size{640, 480}})
        for (const Depth storage : {Depth::half, Depth::f32})
          for (const Pass& pass : plan({&call, 1}, {.size = size, .storage = storage}, traits).passes)
            CHECK_MESSAGE(built_in.contains(hash_of(glsl_of(pass))), op->name, " ", example, ": ", pass.name, " of ",
                          size.width, " x ", size.height);
    }
  }
}

TEST_CASE("what the build does not compile compiles too, for GPUs with and without subgroup operations") {
  std::set<uint64_t> done = hashes_of_built_in();
  for (const bool has_subgroups : {true, false}) {
    const DeviceTraits traits{.type = DeviceType::discrete,
                              .max_image_side = 32768,
                              .max_group_invocations = 1024,
                              .max_storage_images = 64,
                              .shared_bytes = 32768,
                              .subgroup = {.size = 32,
                                           .has_quad = has_subgroups,
                                           .has_shuffle = has_subgroups,
                                           .has_reductions = has_subgroups},
                              .half = {.has_arithmetic = true},
                              .filters_f32 = true,
                              .has_memory_model = true};
    for (const Op* op : tested_ops()) {
      if (op->prepare) continue;  // its text is made at run time
      for (const std::string_view example : op->doc.examples) {
        const Call call = parse_call(*op, example);
        if (!can_run(call, traits)) continue;
        for (const Depth storage : {Depth::half, Depth::f32})
          for (const Pass& pass : plan({&call, 1}, {.size = {1920, 1080}, .storage = storage}, traits).passes) {
            const std::string text = glsl_of(pass);
            if (done.insert(hash_of(text)).second)
              CHECK_MESSAGE(compile_glsl(text, pass.name).errors == "", op->name, " ", example, ": ", pass.name);
          }
      }
    }
  }
}
