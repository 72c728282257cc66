// Long chains of point ops: a shader holds so many, and nothing is lost between them.
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/plan/plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace gpupost;

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
