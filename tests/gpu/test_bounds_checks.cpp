// What a pass reads and writes outside of its memory is reported where GPUPOST_BOUNDS=1 asks for it, by the pass and by what it is.
#include "core/base/error.h"
#include "core/engine/floors.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/copy.h"
#include "tests/support/device.h"
#include "tests/support/error_of.h"
#include "tests/support/patterns.h"
#include "tests/support/reference_check.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace gpupost;
using namespace gpupost::test;

namespace {

constexpr Size size{17, 9};

// The tests' device once more, with its bounds checked.
Gpu bounds_checking(const Gpu& gpu) {
  const char* before = std::getenv("GPUPOST_BOUNDS");
  setenv("GPUPOST_BOUNDS", "1", 1);
  Gpu made(gpu.info());
  if (!before) unsetenv("GPUPOST_BOUNDS");
  return made;
}

// What is said of a run on noise; "" where nothing is.
std::string said_of(Gpu& gpu, const Plan& plan) {
  return error_of([&] { gpu.run(plan, pattern("noise", plan.images[0].size, plan.images[0].depth), 0); }, Exit::bug);
}

// A copy of `size` texels between images that may be too small for it.
Plan copy_between(Size source, Size target) {
  Plan plan;
  plan.images = {{.size = source}, {.size = target}};
  plan.passes = {copy_pass(size, DeviceType::cpu)};
  plan.result_image = 1;
  return plan;
}

Plan plan_of(const char* op, const char* words, const Gpu& gpu) {
  const Call call = parse_call(*op_named(op), words);
  return plan({&call, 1}, {.size = size, .storage = Depth::f32}, gpu.info().traits);
}

}  // namespace

GPU_TEST_CASE("a pass that reads or writes outside of its images is reported") {
  Gpu checking = bounds_checking(gpu);
  CHECK(said_of(checking, copy_between(size, size)) == "");
  CHECK(said_of(checking, copy_between({16, 9}, size))
            .ends_with(" accesses outside of the images that it reads; expected none"));
  CHECK(said_of(checking, copy_between(size, {17, 7})) ==
        "copy: 34 accesses outside of the images that it writes; expected none");
}

GPU_TEST_CASE("a pass that goes outside of its buffers is reported") {
  Gpu checking = bounds_checking(gpu);
  Plan blur = plan_of("blur", "--radius 3 --method direct", checking);
  REQUIRE(!blur.passes.at(0).table.empty());
  CHECK(said_of(checking, blur) == "");
  blur.passes[0].table.pop_back();
  CHECK(said_of(checking, blur).ends_with(" accesses outside of the table; expected none"));

  Plan mips = plan_of("mips", "--method single-pass", checking);
  REQUIRE(mips.passes.at(0).memory.scratch_bytes > mips.passes[0].memory.zeroed_bytes);
  CHECK(said_of(checking, mips) == "");
  mips.passes[0].memory.scratch_bytes = mips.passes[0].memory.zeroed_bytes;
  CHECK(said_of(checking, mips).ends_with(" accesses outside of the scratch memory; expected none"));
}

GPU_TEST_CASE("no pass of any row's examples goes outside of its images and buffers, at awkward sizes" *
              doctest::test_suite("thorough")) {
  Gpu checking = bounds_checking(gpu);
  size_t turn = 0;  // of the kinds: each example's shaders are compiled for one
  for (const Op* op : tested_ops())
    for (const std::string_view example : op->doc.examples) {
      if (op->prepare) continue;
      std::vector<Call> calls{parse_call(*op, example)};
      if (!can_run(calls[0], checking.info().traits)) continue;
      const Kind kind = kinds[turn++ % std::size(kinds)];
      for (const Size picture : awkward_sizes()) {
        give_inputs(calls, picture);
        CAPTURE(calls[0].text());
        CAPTURE(picture.width);
        CAPTURE(picture.height);
        const PlanInput input{.size = picture, .storage = kind.depth, .half_arithmetic = kind.half_arithmetic};
        CHECK(said_of(checking, plan(calls, input, checking.info().traits)) == "");
      }
    }
}
