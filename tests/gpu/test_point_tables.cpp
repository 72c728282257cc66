// A point op whose text and tables are made at run time, on the device.
#include "core/op/point.h"
#include "tests/support/device.h"
#include "tests/support/reference_check.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;
using namespace gpupost::test;

namespace {

using Numbers = std::shared_ptr<const std::vector<float>>;

// R becomes the number of a table that stands for it, G the table's first one and B its last one.
const Op lookup_op =
    point_op({.name = "lookup",
              .point = Point{.texel = [](const Call& call, const Planes&) -> std::function<Color(const Color&)> {
                return [numbers = call.shader->tables[0].numbers](const Color& c) -> Color {
                  const double scaled = std::clamp(c[0] * 16.0, 0.0, double(numbers->size() - 1));
                  return {(*numbers)[size_t(scaled)], numbers->front(), numbers->back(), c[3]};
                };
              }}});

Call lookup(Numbers numbers) {
  Call call = default_call(lookup_op);
  call.shader = std::make_shared<const FusedPoint>(
      FusedPoint{.name = "lookup",
                 .text = "struct @lookup_params { float scale; };\n"
                         "vec4 @lookup(vec4 c, @lookup_params p) {\n"
                         "  return vec4(@steps(int(c.r * p.scale)), @steps(-1000), @steps(1 << 30), c.a);\n}\n",
                 .author = Author::gpupost,
                 .tables = {{"steps", std::move(numbers)}},
                 .fields = {{.name = "scale", .value = 16}}});
  return call;
}

Numbers stairs(size_t count, double first) {
  std::vector<float> numbers;
  for (size_t index = 0; index < count; ++index) numbers.push_back(float(first + double(index) / double(count)));
  return std::make_shared<const std::vector<float>>(std::move(numbers));
}

}  // namespace

GPU_TEST_CASE("point ops read the tables that were made for their calls, alone and in the passes of other ops") {
  const Numbers first = stairs(17, 0), second = stairs(5, 0.25);
  for (const Kind kind : kinds) {
    check_call(gpu, lookup(first), "noise", {17, 9}, kind);
    const std::vector<Call> chain{lookup(first), call_of("blur", "--radius 2"), lookup(second), lookup(first)};
    check_chain(gpu, std::span(chain).first(2), "noise", {31, 17}, kind);
    check_chain(gpu, std::span(chain).subspan(2), "noise", {31, 17}, kind);
    check_chain(gpu, std::span(chain).subspan(2), "noise", {31, 17}, kind, {.fuses = false});
  }
}

TEST_SUITE("thorough") {
  GPU_TEST_CASE("a table may be larger than the least that Vulkan lets a buffer have") {
    std::vector<float> numbers(table_window + 8, 0.0f);
    for (size_t index = 0; index < 20; ++index) numbers[index] = float(index) / 32;
    numbers.back() = 0.75f;
    check_call(gpu, lookup(std::make_shared<const std::vector<float>>(std::move(numbers))), "noise", {17, 9}, kinds[0]);
  }
}
