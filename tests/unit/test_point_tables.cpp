// Point ops whose text and tables are made at run time: what stands in the text of their passes.
#include "core/glsl/shader_text.h"
#include "core/op/point.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpupost;

namespace {

using Numbers = std::shared_ptr<const std::vector<float>>;
Numbers numbers(size_t count) { return std::make_shared<const std::vector<float>>(count, 0.5f); }

const Op curve_op = point_op({
    .name = "curve",
    .doc = {},
    .point = Point{},
});

Call curve(std::vector<PointTable> tables) {
  Call call = default_call(curve_op);
  call.shader = std::make_shared<const FusedPoint>(
      FusedPoint{.name = "curve",
                 .text = "struct @curve_params { int none; };\n"
                         "vec4 @curve(vec4 c, @curve_params p) { return c * @steps(int(c.r)); }\n",
                 .author = Author::gpupost,
                 .tables = std::move(tables)});
  return call;
}

Pass pass_of(std::vector<Call> calls) { return plan(calls, {.size = {64, 64}}, {}).passes.at(0); }

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a table has a function of its own in the text, declared before the text and made behind the buffers") {
  const Pass pass = pass_of({curve({{"steps", numbers(10)}})});
  const std::string text = glsl_of(pass);
  const size_t declared = text.find("float users0_steps(int index);\n"), used = text.find("c * users0_steps(int(c.r))"),
               buffer = text.find("buffer Table "),
               made = text.find("float users0_steps(int index) { return point_number(0 + clamp(index, 0, 9)); }");
  REQUIRE(made != text.npos);
  CHECK(declared < used);
  CHECK(used < buffer);
  CHECK(buffer < made);
  CHECK(author_of(pass) == Author::gpupost);
}

TEST_CASE("point ops with one text share it where they share their tables, and tables stand in the buffer once") {
  const Numbers first = numbers(10), second = numbers(7);
  const Pass pass = pass_of({curve({{"steps", first}}), curve({{"steps", second}}), curve({{"steps", first}})});
  const std::string text = glsl_of(pass);
  CHECK(has(text, "float users0_steps(int index) { return point_number(0 + clamp(index, 0, 9)); }"));
  CHECK(has(text, "float users1_steps(int index) { return point_number(12 + clamp(index, 0, 6)); }"));
  CHECK(!has(text, "users2_"));
  CHECK(point_tables(pass).size() == 2);
  CHECK(table_size(pass) == 12 + 7);
}

TEST_CASE("the tables of point ops begin behind the pass's own, which a pushed value says") {
  std::vector<Call> calls{curve({{"steps", numbers(10)}})};
  Pass pass = pass_of(calls);
  CHECK(std::ranges::find(pass.values, point_tables_at, &PushConstant::name)->word() == 0);
  pass.table.assign(5, 0.0f);
  CHECK(table_size(pass) == 8 + 10);
}

TEST_CASE("numbers beyond the first window of the buffer are read through a second one") {
  const Pass small = pass_of({curve({{"steps", numbers(table_window)}})});
  CHECK(!has(glsl_of(small), "far_table"));
  const Pass large = pass_of({curve({{"steps", numbers(table_window + 1)}})});
  CHECK(has(glsl_of(large), "far_table[max(at - 33554432, 0)]"));
}
