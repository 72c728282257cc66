// Files of the op `point`: their headers, what they may hold, and what becomes of their names.
#include "core/base/error.h"
#include "core/glsl/shader_text.h"
#include "core/glsl/user_source.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"
#include "core/ops/user_point/file.h"
#include "tests/support/error_of.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <fstream>

using namespace gpupost;

namespace {

const std::string header = "//!point dim light times a number\n//!param factor 0.5 0..1 what it is multiplied by\n";
const std::string body = "vec4 dim(vec4 c, dim_params p) { return vec4(p.factor * c.rgb, c.a); }\n";

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// "2 message" of what is wrong with the file; "" where nothing is.
std::string refusal(const std::string& source) {
  return coded_error_of([&] { parse_point_file(source, "dim.glsl"); });
}

Call call_of_source(const std::string& source, std::string_view words = "dim.glsl") {
  Call call = parse_call(*op_named("point"), words);
  call.source = source;
  call.op->prepare(call);
  return call;
}

// The same of a call.
std::string refusal_of_call(std::string_view settings) {
  return coded_error_of([&] { call_of_source(header + body, fmt::format("dim.glsl {}", settings)); });
}

}  // namespace

TEST_CASE("a header says what the op is called, what it takes colors for, and which numbers it has") {
  const PointFile plain = parse_point_file(header + body, "dim.glsl");
  CHECK(plain.name == "dim");
  CHECK(plain.space == PointSpace::rgb);
  CHECK(plain.is_straight);
  REQUIRE(plain.params.size() == 1);
  CHECK(plain.params[0].name == "factor");
  CHECK(plain.params[0].default_value == 0.5);
  CHECK(plain.params[0].min == 0);
  CHECK(plain.params[0].max == 1);
  CHECK(parse_point_file("\xef\xbb\xbf" + header + body, "dim.glsl").text ==
        plain.text);  // an editor's byte order mark
  const PointFile other = parse_point_file("//!point dim\r\n//!space yxy\r\n//!alpha premultiplied\r\n" + body, "f");
  CHECK(other.space == PointSpace::yxy);
  CHECK(!other.is_straight);
  CHECK(other.params.empty());
}

TEST_CASE("a header that cannot be read is refused with its line and what was expected") {
  const std::pair<std::string, std::string> wrong[] = {
      {"", "2 dim.glsl: has no line //!point NAME HELP; add one (see `gpupost help point`)"},
      {"//!point\n",
       "2 dim.glsl:1: //!point is not valid; expected //!point NAME HELP, with a name of lowercase letters"},
      {"//!point Dim x\n", "2 dim.glsl:1: //!point Dim x is not valid; expected //!point NAME"},
      {"//!point vec4 x\n", "2 dim.glsl:1: //!point vec4: vec4 is a keyword of GLSL; choose another name"},
      {"//!point dim\n//!param mat2x3 1 0..1\n", "2 dim.glsl:2: //!param mat2x3: mat2x3 is a keyword of GLSL"},
      {"//!point dim\n//!param devicecoherent 1 0..1\n",
       "2 dim.glsl:2: //!param devicecoherent: devicecoherent is a keyword"},
      {"//!point dim\n//!point dam\n", "2 dim.glsl:2: is the second line //!point; remove one"},
      {"//!points dim\n", "2 dim.glsl:1: //!points dim is not valid; expected //!point, space, alpha or param"},
      {"//!point dim\n//!space xyz\n", "2 dim.glsl:2: //!space xyz is not valid; expected //!space rgb|yxy"},
      {"//!point dim\n//!alpha\n", "2 dim.glsl:2: //!alpha is not valid; expected //!alpha straight|premultiplied"},
      {"//!point dim\n\n//!param factor 1\n", "2 dim.glsl:3: //!param factor 1 is not valid; expected //!param NAME"},
      {"//!point dim\n//!param factor x 0..1\n", "expected //!param NAME DEFAULT MIN..MAX HELP"},
      {"//!point dim\n//!param factor 1 0-1\n", "expected //!param NAME DEFAULT MIN..MAX HELP"},
      {"//!point dim\n//!param factor 1 0..1e99\n", "expected //!param NAME DEFAULT MIN..MAX HELP"},
      {"//!point dim\n//!param factor 2 0..1\n", "expected //!param with a default within its range"},
      {header + "//!param factor 1 0..1\n", "2 dim.glsl:3: declares factor a second time; remove one"}};
  for (const auto& [lines, message] : wrong) {
    const std::string found = refusal(lines + body);
    CHECK_MESSAGE(found.starts_with("2 dim.glsl"), found);
    CHECK_MESSAGE(has(found, message), found, " without ", message);
  }
}

TEST_CASE("a file that holds more than functions and constants is refused with its line") {
  const std::pair<const char*, const char*> wrong[] = {
      {"layout(binding = 7) uniform sampler2D other;", "layout begins neither a function nor a constant"},
      {"uniform float factor;", "uniform begins neither"},
      {"shared float sums[4];", "shared begins neither"},
      {"float sum = 0.0;", "float begins neither"},
      {"precision highp float;", "precision begins neither"},
      {"buffer Statistics { uint numbers[]; };", "buffer begins neither"},
      {"struct Pair { float a, b; };", "struct is not allowed"},
      {"void main() {}", "main is reserved"},
      {"#include \"other.glsl\"", "directives are not allowed"},
      {"  #extension GL_EXT_nonuniform_qualifier : require", "directives are not allowed"},
      {"float of() { return float(gl_GlobalInvocationID.x); }", "gl_GlobalInvocationID reads or writes other texels"},
      {"void wait() { barrier(); }", "barrier reads or writes other texels"},
      {"void wait() { groupMemoryBarrier(); }", "groupMemoryBarrier reads or writes other texels"},
      {"float of() { return 1.0; } }", "} has no opening bracket"},
      {"float of() { return (1.0; }", "} has no opening bracket"},
      {"float of() { return 1.0;", "{ is not closed"},
      {"const float x = 1.0", "const begins neither"},
      {"/* of no end", "this comment does not end"},
      {"float of() { return 1.0 \\ 2.0; }", "has the byte 0x5c"},
      {"float @of() { return 1.0; }", "has the byte 0x40"}};
  for (const auto& [line, message] : wrong) {
    const std::string found = refusal(header + body + line + "\n");
    CHECK_MESSAGE(found.starts_with(fmt::format("2 dim.glsl:4: {}", message)), std::string(line), " says ", found);
  }
  const std::string deep = fmt::format("float of() {{ return {}1.0{}; }}", std::string(64, '('), std::string(64, ')'));
  CHECK(has(refusal(header + body + deep), "opens bracket level 65; the limit is 64"));
}

TEST_CASE("a file without the function that its header names is refused with what was expected") {
  const std::string expected = "2 dim.glsl: has no function vec4 dim(vec4 c, dim_params p), which its header names";
  for (const char* other : {"", "vec4 dam(vec4 c, dim_params p) { return c; }", "vec3 dim(vec4 c, dim_params p) { }",
                            "vec4 dim(vec4 c) { return c; }", "vec4 dim(dim_params p, vec4 c) { return c; }"})
    CHECK(refusal(header + other) == expected);
  CHECK(refusal(header + "vec4 dim(vec4 light,\n dim_params numbers) { return light; }") == "");
}

TEST_CASE("names of the file itself are marked, those of GLSL, members and locals are not, and no line moves") {
  const std::string source =
      "// a comment with dim in it\n"
      "const float a = 2.0, b[2] = float[2](1.0, 2.0), c1 = float(1 <= 2);  /* two\n"
      "lines */ const vec2[1] d = vec2[1](vec2(0.5e+1, .5));\n"
      "float[2] half_of(float x) { return float[2](x / a, x); }\n"
      "float later(float x);\n"
      "vec4 dim(vec4 c, dim_params p) { vec2 e = d[0]; e.x += half_of(b[0])[0] * p.a; return c1 * c * e.x * "
      "later(1.0); }\n"
      "float later(float x) { return x; }\n";
  CHECK(checked_glsl(source, "dim.glsl", "dim") ==
        " \n"
        "const float @a = 2.0, @b[2] = float[2](1.0, 2.0), @c1 = float(1 <= 2);  \n"
        "  const vec2[1] @d = vec2[1](vec2(0.5e+1, .5));\n"
        "float[2] @half_of(float x) { return float[2](x / @a, x); }\n"
        "float @later(float x);\n"
        "vec4 @dim(vec4 c, @dim_params p) { vec2 e = @d[0]; e.x += @half_of(@b[0])[0] * p.a; return @c1 * c * e.x * "
        "@later(1.0); }\n"
        "float @later(float x) { return x; }\n");
}

TEST_CASE("--set gives numbers to what the header declares, within its ranges, and to nothing else") {
  const FusedPoint point = *call_of_source(header + body, "dim.glsl --set factor=0.25").shader;
  REQUIRE(point.fields.size() == 1);
  CHECK(point.fields[0].value == 0.25);
  CHECK(!point.fields[0].is_literal);
  CHECK(refusal_of_call("") == "");
  CHECK(refusal_of_call("--set factor=1 --set factor=1") == "");
  CHECK(refusal_of_call("--set factr=1") ==
        "1 point: --set factr=1: dim.glsl declares no factr, but factor (did you mean `factor`?)");
  CHECK(refusal_of_call("--set factor=1.5") == "1 point: --set factor=1.5 is outside 0..1");
  CHECK(refusal_of_call("--set factor=-0.1") == "1 point: --set factor=-0.1 is outside 0..1");
  CHECK(refusal_of_call("--set factor=1 --set factor=0") ==
        "1 point: --set is given twice, as factor=1 and as factor=0");
  CHECK(has(refusal_of_call("--set factor"), "--set factor is not valid; expected NAME=NUMBER"));
  CHECK(parse_call(*op_named("point"), "a.glsl --set a=1 --set b=-2.5").text() == "point a.glsl --set a=1,b=-2.5");
}

TEST_CASE("the sources of users stand before all that is gpupost's, each once and under names of its own") {
  const std::string other = header + "vec4 dim(vec4 c, dim_params p) { return c; }\n";
  const std::vector<Call> calls{call_of_source(header + body), call_of_source(other),
                                parse_call(*op_named("exposure"), "--stops 1"),
                                call_of_source(header + body, "dim.glsl --set factor=1")};
  const Plan made = plan(calls, {.size = {64, 64}}, {});
  REQUIRE(made.passes.size() == 1);
  CHECK(made.passes[0].name == "dim, dim, exposure, dim");
  CHECK(author_of(made.passes[0]) == Author::user);
  const std::string text = glsl_of(made.passes[0]);
  const size_t first = text.find("vec4 users0_dim(vec4 c, users0_dim_params p) { return vec4(");
  const size_t second = text.find("vec4 users1_dim(vec4 c, users1_dim_params p) { return c; }");
  REQUIRE(first != text.npos);
  REQUIRE(second != text.npos);
  CHECK(text.find("vec4 users0_dim(", first + 1) == text.npos);
  for (const char* ours : {"#define ", "layout(", "vec4 exposure("}) CHECK(text.find(ours) > second);
  const size_t first_call = text.find("  c = users0_dim(c, users0_dim_params(store0_factor));\n");
  CHECK(first_call < text.find("  c = users1_dim(c, users1_dim_params(store1_factor));\n", first_call));
  CHECK(has(text, "  c = users0_dim(c, users0_dim_params(store3_factor));\n"));
  CHECK(author_of(plan(std::span(calls).subspan(2, 1), {.size = {64, 64}}, {}).passes[0]) == Author::gpupost);
}

TEST_CASE("a message of the compiler has the names that the user has given") {
  CHECK(in_users_names("'users0_half_of' : no function users12_f(users, users_0, users1x)") ==
        "'half_of' : no function f(users, users_0, users1x)");
}

TEST_CASE("a file with any byte changed or cut off there is read, or refused as a file") {
  std::ifstream stream("docs/vibrance.glsl");
  const std::string example{std::istreambuf_iterator<char>(stream), {}};
  size_t refused_count = 0;
  for (size_t at = 0; at < example.size(); ++at) {
    for (const char c : {'(', '}', '*', '/', ';', '=', ' ', '\0', '\xff'}) {
      std::string changed = example;
      changed[at] = c;
      refused_count += refusal(changed).starts_with("2 dim.glsl");
    }
    const std::string message = refusal(example.substr(0, at));
    CHECK_MESSAGE((message == "" || message.starts_with("2 dim.glsl")), at, message);
  }
  CHECK(refused_count > example.size());
}

TEST_CASE("the lines that the help shows of a file are those of the example") {
  std::ifstream stream("docs/vibrance.glsl");
  const std::string example{std::istreambuf_iterator<char>(stream), {}};
  REQUIRE(parse_point_file(example, "docs/vibrance.glsl").name == "vibrance");
  for (const Note& note : op_named("point")->doc.notes())
    CHECK_MESSAGE(has(example, note.formula.substr(0, note.formula.find(" ..."))), note.formula);
}
