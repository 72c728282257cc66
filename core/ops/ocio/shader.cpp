#include "core/ops/ocio/shader.h"

#include "core/glsl/user_source.h"

#include <algorithm>
#include <utility>

namespace gpupost {

namespace {

// Functions in the place of `texture(NAME, place)`. Places are shares of the sides, entries lie in the middle of theirs, and
// those beyond the ends are the ends. An entry is one number or three.
std::string lookup_text(const OcioTexture& texture) {
  const auto [width, height, depth] = texture.size;
  const int channels = texture.channels;
  const std::string& name = texture.sampler;
  std::string text = fmt::format("float {}_number(int index);\n", name);
  text += channels == 1
              ? fmt::format("vec4 {0}_entry(int at) {{ return vec4({0}_number(at), 0.0, 0.0, 1.0); }}\n", name)
              : fmt::format(
                    "vec4 {0}_entry(int at) {{\n  return vec4({0}_number(3 * at), {0}_number(3 * at + 1), "
                    "{0}_number(3 * at + 2), 1.0);\n}}\n",
                    name);
  if (depth == 0) {
    text += fmt::format(
        "vec4 {0}_at(vec2 place) {{\n  const int row = clamp(int(place.y * {2}.0), 0, {2} - 1);\n"
        "  const float x = clamp(place.x * {1}.0 - 0.5, 0.0, {1}.0 - 1.0);\n",
        name, width, height);
    text += texture.is_linear
                ? fmt::format(
                      "  const int first = clamp(int(x), 0, max({1} - 2, 0));\n"
                      "  return mix({0}_entry(row * {1} + first), {0}_entry(row * {1} + first + 1), "
                      "clamp(x - float(first), 0.0, 1.0));\n}}\n",
                      name, width)
                : fmt::format("  return {0}_entry(row * {1} + clamp(int(x + 0.5), 0, {1} - 1));\n}}\n", name, width);
    return text + fmt::format("vec4 {0}_at(float place) {{ return {0}_at(vec2(place, 0.5)); }}\n", name);
  }
  text += fmt::format(
      "vec4 {0}_near(ivec3 at) {{\n  const ivec3 inside = clamp(at, ivec3(0), ivec3({1} - 1));\n"
      "  return {0}_entry((inside.z * {1} + inside.y) * {1} + inside.x);\n}}\n",
      name, width);
  if (!texture.is_linear)
    return text +
           fmt::format("vec4 {0}_at(vec3 place) {{ return {0}_near(ivec3(floor(place * {1}.0))); }}\n", name, width);
  return text +
         fmt::format(
             "vec4 {0}_at(vec3 place) {{\n"
             "  const vec3 x = clamp(place * {1}.0 - 0.5, 0.0, {1}.0 - 1.0);\n"
             "  const ivec3 i = ivec3(x);\n  const vec3 f = x - vec3(i);\n"
             "  const vec4 low = mix(mix({0}_near(i), {0}_near(i + ivec3(1, 0, 0)), f.x),\n"
             "                       mix({0}_near(i + ivec3(0, 1, 0)), {0}_near(i + ivec3(1, 1, 0)), f.x), f.y);\n"
             "  const vec4 high = mix(mix({0}_near(i + ivec3(0, 0, 1)), {0}_near(i + ivec3(1, 0, 1)), f.x),\n"
             "                        mix({0}_near(i + ivec3(0, 1, 1)), {0}_near(i + ivec3(1, 1, 1)), f.x), f.y);\n"
             "  return mix(low, high, f.z);\n}}\n",
             name, width);
}

// The library chooses between two segments by `isAboveBreak * high + ( vec3(1., 1., 1.) - isAboveBreak ) * low`, where the
// factors are 0 and 1. This is NaN where the other segment is infinite, so mix() with a bvec chooses.
std::string with_choices(std::string text) {
  constexpr std::string_view factor = "isAboveBreak";
  const std::string start = fmt::format(" = {} * ", factor), middle = " + ( vec";
  for (size_t at = text.find(start); at != text.npos; at = text.find(start, at + 1)) {
    const size_t end = std::min(text.find(';', at), text.size()), high_at = at + start.size();
    const size_t middle_at = text.find(middle, high_at);
    const std::string before_low = fmt::format(" - {} ) * ", factor);
    const size_t low_at = text.find(before_low, high_at);
    if (low_at >= end || middle_at >= low_at) continue;
    const std::string high = text.substr(high_at, middle_at - high_at),
                      low = text.substr(low_at + before_low.size(), end - low_at - before_low.size());
    const char count = text.at(middle_at + middle.size());
    text.replace(at, end - at, fmt::format(" = mix({}, {}, bvec{}({}))", low, high, count, factor));
  }
  return text;
}

// OpenColorIO 2.1 closes one bracket too many in the inverse of a GradingPrimaryTransform of style video.
std::string without_stray_bracket(std::string text) {
  constexpr std::string_view stray = ".rgb += offset );", meant = ".rgb += offset;";
  if (const size_t at = text.find(stray); at != text.npos) text.replace(at, stray.size(), meant);
  return text;
}

// Where a number is NaN so are all three: the library's own answers to it differ. Infinities become large.
constexpr std::string_view own_function = R"(
vec4 ocio(vec4 c, ocio_params p) {
  const bool is_nan = any(greaterThan(floatBitsToUint(c.rgb) & 0x7fffffffu, uvec3(0x7f800000u)));
  const float alpha = abs(c.a) <= 3.40282347e38 ? c.a : 0.0;  // matrices multiply it by 0
  const vec4 made = ocio_transform(vec4(clamp(is_nan ? vec3(0.0) : c.rgb, -1e30, 1e30), alpha));
  return vec4(is_nan ? vec3(uintBitsToFloat(0x7fc00000u)) : made.rgb, c.a);
}
)";

}  // namespace

FusedPoint ocio_point(OcioShader shader, const std::string& name) {
  FusedPoint point{.name = "ocio", .author = Author::library, .file = name, .alpha = PointAlpha::straight};
  std::string text;
  for (OcioTexture& texture : shader.textures) {
    text += lookup_text(texture);
    point.tables.push_back({.name = texture.sampler + "_number",
                            .numbers = std::make_shared<const std::vector<float>>(std::move(texture.values))});
  }
  text += with_choices(without_stray_bracket(std::move(shader.text)));
  text += own_function;
  point.text = fmt::format("struct {}ocio_params {{ int none; }};\n{}", name_mark, checked_glsl(text, name, "ocio"));
  return point;
}

}  // namespace gpupost
