#include "core/ops/ocio/shader.h"

#include "core/glsl/user_source.h"

#include <charconv>
#include <string_view>
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

constexpr std::string_view letters_of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool is_of_name(char c) { return letters_of_names.find(c) != letters_of_names.npos; }

// The numbers of `3.0, -1, 2e-4`; none where one of them is something else.
std::vector<float> numbers_of(std::string_view list) {
  std::vector<float> numbers;
  const char *at = list.data(), *const end = at + list.size();
  while (at != end) {
    if (*at == ',' || *at == ' ' || *at == '\n') {
      ++at;
      continue;
    }
    float number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    at = behind;
  }
  return numbers;
}

// `name[index]` becomes `before index after`.
std::string replace_accesses(std::string_view text, const std::string& name, std::string_view before,
                             std::string_view after) {
  std::string result;
  const std::string access = name + "[";
  for (size_t at = 0; at < text.size();) {
    const bool begins = text.substr(at).starts_with(access) && (at == 0 || !is_of_name(text[at - 1]));
    if (!begins) {
      result += text[at++];
      continue;
    }
    const size_t index = at + access.size();
    size_t end = index;
    for (int depth = 1; end < text.size() && (depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0) > 0;) ++end;
    if (end == text.size()) return std::string(text);
    result +=
        fmt::format("{}{}{}", before, replace_accesses(text.substr(index, end - index), name, before, after), after);
    at = end + 1;
  }
  return result;
}

// The library writes curves as constant arrays, `const float NAME[3] = float[3](1, 2, 3);`. A driver may copy those for each
// access, so that they become tables. The arrays of integers hold small numbers, which a float holds exactly.
std::string arrays_to_tables(std::string text, std::vector<PointTable>& tables) {
  for (const std::string_view type : {"float", "int"}) {
    const std::string begin = fmt::format("const {} ", type);
    for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
      const size_t name_at = at + begin.size(), bracket = text.find_first_not_of(letters_of_names, name_at);
      const size_t list = text.find('(', name_at), line_end = text.find(';', name_at);
      if (bracket == std::string::npos || text[bracket] != '[' || list > line_end || line_end == std::string::npos)
        continue;
      const size_t list_end = text.rfind(')', line_end);
      std::vector<float> numbers = numbers_of(std::string_view(text).substr(list + 1, list_end - list - 1));
      if (numbers.empty()) continue;
      const std::string name = text.substr(name_at, bracket - name_at);
      text = text.substr(0, at) + fmt::format("float {}_number(int index);", name) +
             replace_accesses(std::string_view(text).substr(line_end + 1), name,
                              fmt::format("{}({}_number(", type, name), "))");
      tables.push_back(
          {.name = name + "_number", .numbers = std::make_shared<const std::vector<float>>(std::move(numbers))});
    }
  }
  return text;
}

// Where a number is NaN so are all three: the library's own answers to it differ. Infinities become large.
constexpr std::string_view own_function = R"(
vec4 ocio(vec4 c, ocio_params p) {
  const bool is_nan = any(greaterThan(floatBitsToUint(c.rgb) & 0x7fffffffu, uvec3(0x7f800000u)));
  const vec4 made = ocio_transform(vec4(clamp(is_nan ? vec3(0.0) : c.rgb, -1e30, 1e30), c.a));
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
  text += arrays_to_tables(std::move(shader.text), point.tables);
  text += own_function;
  point.text = fmt::format("struct {}ocio_params {{ int none; }};\n{}", name_mark, checked_glsl(text, name, "ocio"));
  return point;
}

}  // namespace gpupost
