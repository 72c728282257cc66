// What a shader with user GLSL may ask of the driver's compiler.
#include "core/base/error.h"
#include "core/gpu/compile.h"
#include "core/gpu/spirv_cost.h"
#include "tests/support/error_of.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace gpupost;

namespace {

std::vector<uint32_t> spirv_of_body(const std::string& functions, const std::string& body) {
  const Compiled compiled = compile_glsl(
      "#version 460\nlayout(binding = 0) buffer B { float b[]; };\n" + functions + "void main() {" + body + "}",
      "test");
  CHECK(compiled.errors == "");
  REQUIRE(!compiled.words.empty());
  return compiled.words;
}

SpirvCost cost_of_body(const std::string& functions, const std::string& body) {
  return cost_of(spirv_of_body(functions, body));
}

// Functions each of which calls the one before twice, in two loops that keep the compiler from inlining them.
std::string doubling(int depth) {
  std::string text = "float f0(float v) { for (int i = 0; i < 9; ++i) if (b[i] > v) return b[i + 1]; return v; }\n";
  for (int level = 1; level <= depth; ++level)
    text += fmt::format(
        "float f{0}(float v) {{ for (int i = 0; i < 9; ++i) if (b[i] > v) return f{1}(b[i]); return f{1}(v); }}\n",
        level, level - 1);
  return text;
}

}  // namespace

TEST_CASE("arrays count with all their elements") {
  const std::string fill = "for (int i = 0; i < 9; ++i) a[i] = b[i]; b[0] = a[int(b[1])];";
  CHECK(cost_of_body("", "float a[1000];" + fill).variable_bytes == 4000);
  CHECK(cost_of_body("", "float a[100000000];" + fill).variable_bytes == 400'000'000);
  CHECK(cost_of_body("struct S { vec3 v; float f[10]; };",
                     "S s[10]; for (int i = 0; i < 9; ++i) s[i].f[i] = b[i]; b[0] = s[int(b[1])].f[2];")
            .variable_bytes == 520);
  CHECK(cost_of_body("shared float s[512];", "s[gl_LocalInvocationIndex] = b[0]; barrier(); b[1] = s[3];")
            .variable_bytes == 2048);
  CHECK(cost_of_body("layout(constant_id = 0) const int n = 1000; float a[n];", fill).variable_bytes >= 4000);
}

TEST_CASE("calls count as copies of their functions") {
  const uint64_t two = cost_of_body(doubling(2), "b[0] = f2(b[1]);").words;
  const uint64_t six = cost_of_body(doubling(6), "b[0] = f6(b[1]);").words;
  CHECK(six > 8 * two);
  CHECK(two < 2000);
}

TEST_CASE("shaders within the limits pass, and those beyond are refused by name") {
  CHECK_NOTHROW(check_cost({60000, 262144}, "x.glsl"));
  const auto refusal = [](const SpirvCost& cost) -> std::string {
    return error_of([&] { check_cost(cost, "x.glsl"); }, Exit::input);
  };
  CHECK(refusal({70000, 0}).starts_with("x.glsl: its shader has 70000 words of SPIR-V"));
  CHECK(refusal({10, 262145}).starts_with("x.glsl: its local variables take 262145 bytes"));
  CHECK(refusal({10, 400'000'000}).starts_with("x.glsl: its local variables take 400000000 bytes"));
}

TEST_CASE("damaged SPIR-V costs more than any limit") {
  std::vector<uint32_t> words = spirv_of_body("", "b[0] = 2.0 * b[1];");
  CHECK(cost_of(words).words < 1000);
  CHECK_THROWS_AS(check_cost(cost_of({}), "x"), Error);
  for (size_t length = 0; length < words.size(); ++length) CHECK_NOTHROW(cost_of(std::span(words).first(length)));
  CHECK_THROWS_AS(check_cost(cost_of(std::span(words).first(words.size() - 1)), "x"), Error);
  words[5] &= 0xffff;  // an instruction of no words
  CHECK_THROWS_AS(check_cost(cost_of(words), "x"), Error);
}

TEST_CASE("calls that go a million deep cost more than the limit") {
  const auto instruction = [](uint32_t op, uint32_t count) { return count << 16 | op; };
  constexpr uint32_t depth = 1'000'000, head = 5, entry_point = 15, function = 54, function_end = 56, call = 57;
  std::vector<uint32_t> words(head);
  words.insert(words.end(), {instruction(entry_point, 3), 5, 1});
  for (uint32_t id = 1; id <= depth; ++id) {
    words.insert(words.end(), {instruction(function, 5), 0, id, 0, 0});
    if (id < depth) words.insert(words.end(), {instruction(call, 4), 0, 0, id + 1});
    words.push_back(instruction(function_end, 1));
  }
  CHECK_THROWS_AS(check_cost(cost_of(words), "x"), Error);
}
