// The text of passes. That each example's text compiles is shown by the build, which compiles them all.
#include "core/base/error.h"
#include "core/glsl/shader_text.h"
#include "core/op/parse.h"
#include "core/ops/registry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace gpupost;

namespace {

DeviceTraits gpu_with(bool quads, int storage_images) {
  return {.type = DeviceType::discrete,
          .max_image_side = 32768,
          .max_group_invocations = 1024,
          .max_storage_images = storage_images,
          .shared_bytes = 49152,
          .subgroup = {.size = 32, .has_quad = quads, .has_shuffle = quads},
          .half = {.has_arithmetic = true},
          .filters_f32 = true,
          .has_memory_model = true};
}

std::string text_of(std::string_view words, Size size, const DeviceTraits& traits, bool half_arithmetic = false) {
  const Call call = parse_call(*op_named("mips"), words);
  const Plan made =
      plan({&call, 1}, {.size = size, .storage = Depth::half, .half_arithmetic = half_arithmetic}, traits);
  return glsl_of(made.passes.at(0));
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

int count_of(const std::string& text, std::string_view part) {
  int count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("equal passes have equal texts, whatever the picture's size") {
  const DeviceTraits traits = gpu_with(true, 1000);
  CHECK(text_of("--method single-pass", {2048, 4096}, traits) == text_of("--method single-pass", {4096, 2048}, traits));
  CHECK(text_of("--method single-pass", {1919, 1081}, traits) == text_of("--method single-pass", {4095, 333}, traits));
  CHECK(text_of("--method per-level", {1024, 1024}, traits) == text_of("--method per-level", {640, 480}, traits));
}

TEST_CASE("what differs in a pass differs in its text") {
  const std::set<std::string> texts{text_of("--method single-pass", {1024, 1024}, gpu_with(true, 1000)),
                                    text_of("--variant amd-2x2+quad+load", {1024, 1024}, gpu_with(true, 1000)),
                                    text_of("--method single-pass", {1024, 1024}, gpu_with(true, 1000), true),
                                    text_of("--method single-pass", {1023, 1023}, gpu_with(true, 1000)),
                                    text_of("--method per-level", {1024, 1024}, gpu_with(true, 1000)),
                                    text_of("--method per-level", {1023, 1024}, gpu_with(true, 1000))};
  CHECK(texts.size() == 6);
}

TEST_CASE("a text asks for the extensions that it uses, and no other") {
  const std::string plain = text_of("--method per-level", {64, 64}, gpu_with(false, 4));
  CHECK(plain.starts_with("#version 460\n"));
  CHECK(count_of(plain, "#extension") == 1);  // hints for loops
  CHECK(!has(plain, "scratch"));
  const std::string rich = text_of("--variant amd-2x2+shuffle+load", {1024, 1024}, gpu_with(true, 1000), true);
  for (const std::string part :
       {"#pragma use_vulkan_memory_model", "GL_EXT_shader_explicit_arithmetic_types_float16",
        "GL_KHR_shader_subgroup_quad", "GL_KHR_shader_subgroup_shuffle",
        "GL_EXT_shader_subgroup_extended_types_float16", "buffer Counters", "#define real float16_t"})
    CHECK_MESSAGE(has(rich, part), part);
}

TEST_CASE("a text asks for what its variant exchanges and fetches with") {
  const auto text = [](const char* variant) {
    return text_of(std::string("--variant ") + variant, {1024, 1024}, gpu_with(true, 1000));
  };
  CHECK(!has(text("rows-2x2+shared+load"), "GL_KHR_shader_subgroup"));
  CHECK(has(text("amd-2x2+quad+load"), "GL_KHR_shader_subgroup_quad"));
  CHECK(!has(text("amd-2x2+quad+load"), "GL_KHR_shader_subgroup_shuffle"));
  CHECK(!has(text("amd-2x2+quad+load"), "textureLod"));
  CHECK(has(text("amd-2x2+quad+linear"), "textureLod"));
}

TEST_CASE("levels are written through as many targets as are bound, each by a literal") {
  const std::string text = text_of("--method single-pass --levels 5", {1024, 1024}, gpu_with(true, 4));
  CHECK(has(text, "image2D target[4];"));
  CHECK(count_of(text, ": imageStore(target[") == 4);
  CHECK(has(text, "case 4: imageStore(target[3], at, half_bits(into_target(c)));"));
}

TEST_CASE("only passes of Yxy images convert, what they load and what they store each by itself") {
  const auto texts = [](Space space) {
    const Call call = parse_call(*op_named("blur"), "--radius 3 --method separable");
    std::vector<std::string> made;
    for (const Pass& pass :
         plan({&call, 1}, {.size = {64, 64}, .ends = {space, space}, .between = space}, gpu_with(true, 1000)).passes)
      made.push_back(glsl_of(pass));
    return made;
  };
  for (const std::string& text : texts(Space::rgb)) CHECK(!has(text, "xyz_of"));
  const std::vector<std::string> rows_and_columns = texts(Space::yxy);
  REQUIRE(rows_and_columns.size() == 2);
  // what lies between them is X, Y and Z
  CHECK(has(rows_and_columns[0], "vec4 loaded(vec4 c) {\n  c = xyz_of(c);\n  return c;\n}"));
  CHECK(has(rows_and_columns[0], "vec4 into_target(vec4 c) {\n  return c;\n}"));
  CHECK(has(rows_and_columns[1], "vec4 loaded(vec4 c) {\n  return c;\n}"));
  CHECK(has(rows_and_columns[1], "vec4 into_target(vec4 c) {\n  c = yxy_of(c);\n  return c;\n}"));
}

TEST_CASE("kernels make the bits of halves themselves, and those of floats stored beside them") {
  const auto texts = [](std::string_view op, std::string_view words, Depth storage) {
    const Call call = parse_call(*op_named(op), words);
    std::vector<std::string> made;
    for (const Pass& pass : plan({&call, 1}, {.size = {64, 48}, .storage = storage}, gpu_with(true, 1000)).passes)
      made.push_back(glsl_of(pass));
    return made;
  };
  for (const Depth storage : {Depth::u8, Depth::f32}) {
    const std::string text = texts("saturation", "--factor 1.4", storage).at(0);
    CHECK(has(text, "writeonly uniform image2D target[1];"));
    CHECK(has(text, "imageStore(target[0], at, into_target(c));"));
  }
  const std::string text = texts("saturation", "--factor 1.4", Depth::half).at(0);
  CHECK(has(text, "writeonly uniform uimage2D target[1];"));
  CHECK(has(text, "imageStore(target[0], at, half_bits(clamp_half(into_target(c))));"));
  int mixed_count = 0;
  for (const std::string& fields : texts("dof", "--max-radius 9 --resolution half", Depth::half))
    mixed_count += has(fields, "imageStore(target[0], at, floatBitsToUint(into_target(c)));") &&
                   has(fields, "imageStore(target[1], at, half_bits(clamp_half(c)));");
  CHECK(mixed_count == 2);
}

TEST_CASE("means of halves are stored without a clamp, all else that becomes halves with one") {
  const auto clamps = [](std::string_view op, std::string_view words, PlanInput input) {
    const Call call = parse_call(*op_named(op), words);
    input.size = {64, 48};
    std::string made;
    for (const Pass& pass : plan({&call, 1}, input, gpu_with(true, 1000)).passes)
      made += has(glsl_of(pass), "clamp_half(into_target(c))") ? '1' : '0';
    return made;
  };
  CHECK(clamps("mips", "--method single-pass", {}) == "0");
  CHECK(clamps("mips", "--method per-level --levels 3", {}) == "00");
  CHECK(clamps("mips", "--method per-level --levels 3", {.ends = {Space::yxy, Space::yxy}}) == "11");
  CHECK(clamps("flip", "x", {}) == "0");
  CHECK(clamps("saturation", "--factor 1.4", {}) == "1");
  CHECK(clamps("saturation", "--factor 1.4", {.storage = Depth::f32}) == "0");
  CHECK(clamps("resize", "--size 32x24", {}) == "01");  // floats between
  CHECK(clamps("blur", "--radius 3 --method shared", {}) == "0");
  CHECK(clamps("blur", "--radius 3 --method separable", {}) == "00");
  CHECK(clamps("blur", "--radius 3 --method separable", {.ends = {Space::yxy, Space::yxy}}) == "01");
}

TEST_CASE("a kernel reads a literal as a constant, or from the struct if two calls of a pass differ") {
  const auto text = [](std::string_view first, std::string_view second) {
    const Op& tonemap = *op_named("tonemap");
    const Call calls[] = {parse_call(tonemap, first), parse_call(tonemap, second)};
    return glsl_of(plan(calls, {.size = {64, 64}, .storage = Depth::f32}, gpu_with(true, 1000)).passes.at(0));
  };
  const std::string same = text("--curve hable --chroma keep", "--curve hable --chroma saturate");
  CHECK(has(same, "#define TONEMAP_CURVE_OF(p) (4)\n"));
  CHECK(has(same, "#define TONEMAP_CHROMA_OF(p) (p.chroma)\n"));
  CHECK(has(text("--curve hable", "--curve uchimura"), "#define TONEMAP_CURVE_OF(p) (p.curve)\n"));
}

TEST_CASE("a kernel that is included twice stands in the text once, and no include is left") {
  for (const char* words : {"--method per-level", "--method single-pass"})
    for (const Size size : {Size{1024, 1024}, Size{1023, 1023}}) {
      const std::string text = text_of(words, size, gpu_with(true, 1000));
      CHECK(!has(text, "#include"));
      CHECK(count_of(text, "vec3 area_weights(") <= 1);
      CHECK(count_of(text, "ivec2 amd_order(") <= 1);
    }
}

TEST_CASE("a kernel that there is not is a mistake of ours") { CHECK_THROWS_AS(kernel_text("nonsense.glsl"), Error); }
