// Long chains of point ops: a shader holds so many, and nothing is lost between them.
#include "core/glsl/shader_text.h"
#include "core/gpu/compile.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"
#include "tests/support/rich_gpu.h"
#include "tests/support/tested_ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace gpupost;
using namespace gpupost::test;

namespace {

// Point ops with different numbers: gain 1, gain 2, ...
std::vector<Call> points(int count) {
  std::vector<Call> calls;
  for (int number = 1; number <= count; ++number)
    calls.push_back(parse_call(*op_named("gain"), "--value " + std::to_string(number + 1)));
  return calls;
}

// The numbers of all point ops in the order in which the passes do them.
std::vector<double> numbers_of(const Plan& made) {
  std::vector<double> numbers;
  for (const Pass& pass : made.passes)
    for (const std::vector<FusedPoint>* points : {&pass.points.on_load, &pass.points.on_store})
      for (const FusedPoint& point : *points) numbers.push_back(point.fields.front().value);
  return numbers;
}

size_t most_folds(const Plan& made) {
  size_t most = 0;
  for (const Pass& pass : made.passes) most = std::max({most, pass.points.on_load.size(), pass.points.on_store.size()});
  return most;
}

// What each pass but the last stores.
bool has_floats_between(const Plan& made) {
  return std::all_of(made.passes.begin(), made.passes.end() - 1,
                     [&](const Pass& pass) { return made.images[size_t(pass.target.image)].depth == Depth::f32; });
}

// One call of each point op that is a single function of its own kernel.
std::vector<Call> all_points() {
  std::vector<Call> calls;
  for (const Op* op : all_ops()) {
    if (!op->point || op->prepare) continue;
    const Call call = parse_call(*op, op->doc.examples.front());
    const Plan made = plan({&call, 1}, {.size = {64, 64}}, {});
    if (made.passes.size() == 1 && most_folds(made) == 1) calls.push_back(call);
  }
  return calls;
}

// Compiles the passes that have a kernel of their own and hold point ops, one for each kernel.
void check_compiles(const Plan& made, std::set<std::string_view>& kernels) {
  for (const Pass& pass : made.passes) {
    if (pass.points.on_load.empty() && pass.points.on_store.empty()) continue;
    if (!kernels.insert(pass.kernel).second) continue;
    const Compiled compiled = compile_glsl(glsl_of(pass), pass.name);
    CHECK_MESSAGE(!compiled.words.empty(), pass.name, ": ", compiled.errors);
  }
}

}  // namespace

TEST_CASE("a shader has a bounded number of point ops, however many the chain has") {
  const std::vector<Call> calls = points(200);
  const Plan made = plan(calls, {.size = {64, 64}, .storage = Depth::half}, {});
  CHECK(most_folds(made) <= 32);
  CHECK(made.passes.size() <= 8);
  const std::vector<double> numbers = numbers_of(made);
  REQUIRE(numbers.size() == 200);
  CHECK(std::ranges::is_sorted(numbers));
  CHECK(has_floats_between(made));
  CHECK(made.images[size_t(made.result_image)].depth == Depth::half);
}

TEST_CASE("chains of up to 32 point ops are one pass") {
  CHECK(plan(points(32), {.size = {64, 64}}, {}).passes.size() == 1);
  CHECK(plan(points(33), {.size = {64, 64}}, {}).passes.size() == 2);
}

TEST_CASE("many point ops behind and before another op are passes of their own") {
  std::vector<Call> calls{parse_call(*op_named("blur"), "--sigma 2")};
  for (const Call& call : points(100)) calls.push_back(call);
  calls.push_back(parse_call(*op_named("blur"), "--sigma 1"));
  const Plan made = plan(calls, {.size = {64, 64}, .storage = Depth::half}, {});
  CHECK(most_folds(made) <= 32);
  const std::vector<double> numbers = numbers_of(made);
  REQUIRE(numbers.size() == 100);
  CHECK(std::ranges::is_sorted(numbers));
}

TEST_CASE("no name in the kernel of an op is the function of a point op that may stand in the same shader") {
  const std::vector<Call> points = all_points();
  CHECK(points.size() >= 16);
  const Size size{384, 256};
  std::set<std::string_view> kernels;
  for (const Op* op : tested_ops()) {
    if (op->prepare || op->makes != Makes::picture) continue;  // the first reads files, nothing may follow the second
    for (const std::string_view example : op->doc.examples) {
      std::vector<Call> calls{parse_call(*op, example)};
      if (op->needs(calls[0]).depth)
        calls[0].depth = std::make_shared<Plane>(Plane{.size = size, .values = std::vector(texel_count(size), 3.5)});
      calls.insert(calls.end(), points.begin(), points.end());
      check_compiles(plan(calls, {.size = size, .storage = Depth::half}, rich_gpu()), kernels);
    }
  }
  if (tested_ops().size() == all_ops().size()) CHECK(kernels.size() >= 20);
}
