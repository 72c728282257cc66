#include "core/glsl/shader_text.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/glsl/bounds_checks.h"
#include "core/glsl/color_constants.h"
#include "core/glsl/user_source.h"
#include "core/glsl/word_access.h"
#include "core/plan/strips.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <set>

namespace gpupost {

// Puts the text of kernel `name` behind `text`, each file it includes once and before it.
static void append_kernel(std::string_view name, std::set<std::string_view>& done, std::string& text) {
  if (!done.insert(name).second) return;
  constexpr std::string_view mark = "#include \"";
  if (name == color_constants_name) {
    text += color_constants();
    return;
  }
  std::string_view rest = kernel_text(name);
  std::string own = fmt::format("\n// --- kernels/{}\n", name);
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (line.starts_with(mark)) append_kernel(line.substr(mark.size(), line.size() - mark.size() - 1), done, text);
    else own.append(line).append("\n");
  }
  text += own;
}

static std::string extensions(const Pass& pass) {
  std::string text = "#version 460\n#extension GL_EXT_control_flow_attributes : require\n";
  if (pass.arithmetic.is_exact) text.append(no_contraction_line).append("\n");
  if (pass.memory.scratch_bytes)
    text += "#pragma use_vulkan_memory_model\n#extension GL_KHR_memory_scope_semantics : require\n";
  if (pass.arithmetic.is_half) text += "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n";
  if (pass.arithmetic.subgroup_size) text += "#extension GL_KHR_shader_subgroup_quad : require\n";
  if (pass.arithmetic.subgroup_size > 4) text += "#extension GL_KHR_shader_subgroup_shuffle : require\n";
  if (pass.arithmetic.reduces_in_subgroups)
    text +=
        "#extension GL_KHR_shader_subgroup_arithmetic : require\n#extension GL_KHR_shader_subgroup_vote : require\n";
  if (pass.arithmetic.subgroup_size && pass.arithmetic.is_half)
    text += "#extension GL_EXT_shader_subgroup_extended_types_float16 : require\n";
  return text;
}

// "border_clamp" as a constant: BORDER_CLAMP.
static std::string constant_name(std::string name) {
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? char(std::toupper(c)) : '_';
  return name;
}

// Constants for the values 0, 1, ... of a choice: `#define BORDER_CLAMP 0`.
static std::string choice_constants(std::string_view name, std::span<const std::string_view> choices) {
  std::string text;
  for (size_t value = 0; value < choices.size(); ++value)
    text += fmt::format("#define {} {}\n", constant_name(fmt::format("{}_{}", name, choices[value])), value);
  return text;
}

static std::string numbers(const Pass& pass) {
  std::string text = pass.arithmetic.is_half ? "#define HALF 1\n#define real float16_t\n#define real4 f16vec4\n"
                                             : "#define HALF 0\n#define real float\n#define real4 vec4\n";
  for (const auto& [name, value, names] : pass.defines)
    text += fmt::format("#define {} {}\n", name, value) + choice_constants(name, names);
  return text;
}

// How GLSL writes a number: with a point.
static std::string number_text(const ShaderParam& field) {
  return field.is_integer ? fmt::format("{}", int64_t(field.value)) : fmt::format("{:#}", field.value);
}

static std::string pushed_name(std::string_view end, size_t index, const ShaderParam& field) {
  return fmt::format("{}{}_{}", end, index, field.name);
}

// Calls `visit(name, field)` with each field that is pushed, in their order behind the pass's own values.
template <class Visit>
static void visit_pushed(const Pass& pass, Visit visit) {
  const auto visit_end = [&](std::string_view end, std::span<const FusedPoint> points) {
    for (size_t index = 0; index < points.size(); ++index)
      for (const ShaderParam& field : points[index].fields)
        if (!field.is_literal && field.table_index < 0) visit(pushed_name(end, index, field), field);
  };
  visit_end("load", pass.points.on_load);
  visit_end("store", pass.points.on_store);
}

std::vector<int32_t> pushed_words(const Pass& pass) {
  std::vector<int32_t> words;
  for (const PushConstant& value : pass.values) words.push_back(value.word());
  visit_pushed(pass, [&](const std::string&, const ShaderParam& field) {
    words.push_back(field.is_integer ? int32_t(field.value) : std::bit_cast<int32_t>(float(field.value)));
  });
  return words;
}

static std::string bindings(const Pass& pass) {
  std::string text =
      fmt::format("layout(local_size_x = {}, local_size_y = {}) in;\n", pass.grid.group[0], pass.grid.group[1]);
  text += fmt::format("layout(binding = {}) uniform {}sampler2D source;\n", int(source_binding),
                      pass.words.samples_source && are_bits(pass.words.source) ? "u" : "");
  if (pass.second.image >= 0)
    text += fmt::format("layout(binding = {}) uniform sampler2D second_source;\n", int(second_source_binding));
  for (size_t index = 0; index < pass.more_sources.size(); ++index)
    text += fmt::format("layout(binding = {}) uniform sampler2D more_source{};\n", more_sources_binding + int(index),
                        index);
  text += fmt::format("layout(binding = {}) writeonly uniform {} target[{}];\n", int(target_binding),
                      pass.half_targets.empty() ? "image2D" : "uimage2D",
                      size_t(pass.target.bound_count) + pass.more_targets.size());
  if (pass.memory.scratch_bytes)
    text += fmt::format(
        "layout(binding = {0}, std430) queuefamilycoherent buffer Counters {{ uint scratch_counters[]; }};\n"
        "layout(binding = {0}, std430) queuefamilycoherent buffer Texels {{ vec4 scratch_texels[]; }};\n"
        // not readonly: drivers then read the same bytes by caches that acquiring does not empty
        "layout(binding = {0}, std430) nonprivate buffer Kept {{ vec4 kept_texels[]; }};  // once acquired\n",
        int(scratch_binding));
  text += fmt::format("#define HAS_STATISTICS {}\n", int(pass.memory.has_statistics));
  if (pass.memory.has_statistics)
    text += fmt::format("layout(binding = {}, std430) buffer Statistics {{ uint statistics[]; }};\n",
                        int(statistics_binding));
  if (table_size(pass) > 0)
    text += fmt::format(
        "layout(binding = {0}, std430) readonly buffer Table {{ float table[]; }};\n"
        "layout(binding = {0}, std430) readonly buffer Table4 {{ vec4 table4[]; }};  // four of them at once\n",
        int(table_binding));
  if (table_size(pass) > table_window)
    text += fmt::format("layout(binding = {}, std430) readonly buffer FarTable {{ float far_table[]; }};\n",
                        int(far_table_binding));
  text += "layout(push_constant) uniform Push {\n";
  for (const PushConstant& value : pass.values) text += fmt::format("  {} {};\n", value.type(), value.name);
  visit_pushed(pass, [&](const std::string& name, const ShaderParam& field) {
    text += fmt::format("  {} {};\n", field.is_integer ? "int" : "float", name);
  });
  return text + pitches(pass) + "};\n" + word_bindings(pass);
}

static std::string value_text(std::string_view end, size_t index, const ShaderParam& field) {
  if (field.is_literal) return number_text(field);
  if (field.table_index < 0) return pushed_name(end, index, field);
  return fmt::format("{}(table[{}])", field.is_integer ? "int" : "float", field.table_index);
}

// Finds the point op that has the same text and tables.
static std::vector<const FusedPoint*>::const_iterator find_same(const std::vector<const FusedPoint*>& texts,
                                                                const FusedPoint& point) {
  return std::ranges::find_if(
      texts, [&](const FusedPoint* known) { return known->text == point.text && known->tables == point.tables; });
}

// The point ops of a pass that were made at run time, those of the same text and tables once.
static std::vector<const FusedPoint*> runtime_points(const Pass& pass) {
  std::vector<const FusedPoint*> texts;
  for (const std::vector<FusedPoint>* points : {&pass.points.on_load, &pass.points.on_store})
    for (const FusedPoint& point : *points)
      if (!point.text.empty() && find_same(texts, point) == texts.end()) texts.push_back(&point);
  return texts;
}

// What stands before each name of a text made at run time: before those of no other text in the pass, and of no kernel.
static constexpr std::string_view users_prefix = "users";
static std::string prefix_of(size_t source_index) { return fmt::format("{}{}_", users_prefix, source_index); }

std::string in_users_names(std::string message) {
  for (size_t at = 0; (at = message.find(users_prefix, at)) != message.npos;) {
    const size_t number = at + users_prefix.size(), end = message.find_first_not_of("0123456789", number);
    const bool is_prefix = end != message.npos && end > number && message[end] == '_';
    if (is_prefix) message.erase(at, end + 1 - at);
    else at = number;
  }
  return message;
}

// They stand before all else: no macro, no variable and no function of gpupost can be meant in them.
static std::string runtime_texts(const Pass& pass) {
  const std::vector<const FusedPoint*> points = runtime_points(pass);
  std::string text;
  for (size_t index = 0; index < points.size(); ++index) {
    text += fmt::format("\n// --- a user's, {}\n", index);
    for (const PointTable& table : points[index]->tables)
      text += fmt::format("float {}{}(int index);\n", prefix_of(index), table.name);
    for (const char c : points[index]->text) {
      if (c == name_mark) text += prefix_of(index);
      else text += c;
    }
  }
  return text;
}

// The functions that read the tables of point ops.
static std::string table_functions(const Pass& pass) {
  const std::vector<std::span<const float>> tables = point_tables(pass);
  if (tables.empty()) return "";
  std::string text = fmt::format("\nfloat point_number(int at) {{\n  at += {};\n", point_tables_at);
  text += table_size(pass) > table_window
              ? fmt::format("  return at < {0} ? table[min(at, {0} - 1)] : far_table[max(at - {0}, 0)];\n}}\n",
                            table_window)
              : "  return table[at];\n}\n";
  const std::vector<const FusedPoint*> points = runtime_points(pass);
  for (size_t index = 0; index < points.size(); ++index)
    for (const PointTable& table : points[index]->tables) {
      size_t begin = 0;
      for (const std::span<const float> numbers : tables) {
        if (numbers.data() == table.numbers->data()) break;
        begin += round_up(numbers.size(), table_alignment);
      }
      text += fmt::format("float {}{}(int index) {{ return point_number({} + clamp(index, 0, {})); }}\n",
                          prefix_of(index), table.name, begin, table.numbers->size() - 1);
    }
  return text;
}

// The function of a point op as it is called.
static std::string function_of(const FusedPoint& point, const std::vector<const FusedPoint*>& texts) {
  if (point.text.empty()) return point.name;
  return prefix_of(size_t(find_same(texts, point) - texts.begin())) + point.name;
}

// `#define TONEMAP_CURVE_OF(p) 4` for each integer that is a literal: functions of a kernel that read it so, instead of `p.curve`, have
// their branches chosen before they are inlined. With all of them inlined, shaderc takes seven times as long. If calls in this pass
// differ, it is `p.curve`.
static std::string literal_macros(const Pass& pass, const FusedPoint& point) {
  std::string text;
  for (size_t index = 0; index < point.fields.size(); ++index) {
    const ShaderParam& field = point.fields[index];
    if (!field.is_integer || !field.is_literal) continue;
    const auto is_same = [&](const FusedPoint& other) {
      return other.kernel != point.kernel ||
             (other.fields[index].is_literal && other.fields[index].value == field.value);
    };
    const bool is_one =
        std::ranges::all_of(pass.points.on_load, is_same) && std::ranges::all_of(pass.points.on_store, is_same);
    text += fmt::format("#define {}_OF(p) ({})\n", constant_name(fmt::format("{}_{}", point.name, field.name)),
                        is_one ? number_text(field) : fmt::format("p.{}", field.name));
  }
  return text;
}

static std::string point_declarations(const Pass& pass, std::span<const FusedPoint> points,
                                      std::set<std::string_view>& done) {
  std::string text;
  for (const FusedPoint& point : points) {
    if (!point.text.empty() || done.contains(point.kernel)) continue;
    text += fmt::format("\nstruct {}_params {{\n", point.name);
    for (const ShaderParam& field : point.fields)
      text += fmt::format("  {} {};\n", field.is_integer ? "int" : "float", field.name);
    if (point.fields.empty()) text += "  int none;\n";
    text += "};\n";
    for (const ShaderParam& field : point.fields)
      text += choice_constants(fmt::format("{}_{}", point.name, field.name), field.choices);
    text += literal_macros(pass, point);
    append_kernel(point.kernel, done, text);
  }
  return text;
}

namespace {

// A color on its way through point ops.
struct State {
  Space space = Space::rgb;
  bool is_straight = false;
  bool operator==(const State&) const = default;
};

// Statements on `c`: from one state to another, and no more than it takes.
std::string conversions(State from, State to) {
  std::string text;
  const auto make = [&](std::string_view function) { text += fmt::format("  c = {}(c);\n", function); };
  const bool changes_alpha = from.is_straight != to.is_straight;
  if (from.space == Space::yxy && to.space == Space::rgb) make("rgb_of"), from.space = Space::rgb;
  if (from.space == Space::yxy && (to.space != Space::yxy || changes_alpha)) make("xyz_of"), from.space = Space::xyz;
  if (from.space == Space::xyz && to.space == Space::rgb) make("rgb_of_xyz"), from.space = Space::rgb;
  if (changes_alpha) make(to.is_straight ? "unpremultiply" : "premultiply");
  if (from.space == Space::rgb && to.space != Space::rgb) make("xyz_of_rgb"), from.space = Space::xyz;
  if (from.space != to.space) make("yxy_of");
  return text;
}

// Statements on `c`: through a user's function. A texel that is and stays transparent does not get what it makes of black.
std::string without_black(std::string_view function, std::string_view params, Space space) {
  const bool is_yxy = space == Space::yxy;
  return fmt::format(
      "  {{\n    const bool is_nothing = is_transparent(c.a);\n    vec4 of_black = vec4(0.0);\n"
      "    if (is_nothing) of_black = {0}(vec4({2}, c.a), {1});\n"
      "    c = {0}(c, {1});\n"
      "    if (is_nothing && is_transparent(c.a)) c.{3} -= of_black.{3};\n  }}\n",
      function, params, is_yxy ? "0.0, WHITE" : "0.0, 0.0, 0.0", is_yxy ? "r" : "rgb");
}

// Statements on `c`: through the points, from one state to another.
std::string through(std::span<const FusedPoint> points, std::string_view end, State from, State to,
                    const std::vector<const FusedPoint*>& texts) {
  std::string text;
  for (size_t index = 0; index < points.size(); ++index) {
    const FusedPoint& point = points[index];
    const State own{point.space == PointSpace::yxy ? Space::yxy : Space::rgb,
                    point.alpha == PointAlpha::any ? from.is_straight : point.alpha == PointAlpha::straight};
    text += conversions(from, own);
    std::vector<std::string> values;
    for (const ShaderParam& field : point.fields) values.push_back(value_text(end, index, field));
    if (values.empty()) values.push_back("0");
    const std::string function = function_of(point, texts);
    const std::string params = fmt::format("{}_params({})", function, fmt::join(values, ", "));
    if (!point.text.empty() && own.is_straight) text += without_black(function, params, own.space);
    else text += fmt::format("  c = {}(c, {});\n", function, params);
    from = own;
  }
  return text + conversions(from, to);
}

}  // namespace

// Returns whether the pass counts texels that it loads or stores, so that none may go through twice. Clamped halves have a branch
// of their own.
static bool counts_texels(const Pass& pass) {
  const auto may_count = [](const FusedPoint& point) { return point.reads_statistics; };
  return pass.is_r11g11b10 || std::ranges::any_of(pass.points.on_load, may_count) ||
         std::ranges::any_of(pass.points.on_store, may_count);
}

static std::string load_and_store(const Pass& pass, std::set<std::string_view>& done) {
  const bool is_rgb = pass.source_space == Space::rgb && pass.target_space == Space::rgb;
  const bool has_points = !pass.points.on_load.empty() || !pass.points.on_store.empty();
  // A copy keeps the colors of its source for the point ops: on the way through XYZ, one infinite number would make all three
  // infinite, and NaN on the way back.
  const State inside{pass.access.only_copies           ? pass.source_space
                     : is_rgb || pass.access.is_in_rgb ? Space::rgb
                                                       : Space::xyz};
  const std::vector<const FusedPoint*> texts = runtime_points(pass);
  std::string text = inside.space == Space::rgb ? "" : "#define IN_XYZ\n";
  if (pass.source_space != Space::rgb) text += "#define READS_YXY\n";
  if (counts_texels(pass)) text += "#define COUNTS_TEXELS\n";
  if (!is_rgb || has_points || pass.second_space == Space::yxy) append_kernel("lib/yxy.glsl", done, text);
  const bool is_half = !pass.half_targets.empty() && pass.half_targets.front();
  if (is_half && !pass.points.on_store.empty()) text += "#define HALF_ALPHAS\n";
  if (has_points) append_kernel("lib/alpha.glsl", done, text);
  text += point_declarations(pass, pass.points.on_load, done) + point_declarations(pass, pass.points.on_store, done);
  if (pass.packs_toward_zero) text += "#define PACKS_TOWARD_ZERO\n";
  if (packs_halves(pass)) append_kernel("lib/half_bits.glsl", done, text);
  if (pass.clamps && !pass.half_targets.empty()) append_kernel("lib/clamp_half.glsl", done, text);
  if (pass.is_r11g11b10) append_kernel("lib/to_r11g11b10.glsl", done, text);

  text += "\nvec4 loaded(vec4 c) {\n" + through(pass.points.on_load, "load", {pass.source_space}, inside, texts) +
          "  return c;\n}\n";
  text += fmt::format("vec4 load(ivec2 at) {{ {}return loaded({}); }}\n",
                      ring_statement(pass.source_ring, source_ring_mask),
                      color_of("source", pass.words.source, pass.words.samples_source));
  text += word_functions(pass);
  // R, G and B, whatever the images hold
  text += "vec4 load_rgb(ivec2 at) {\n  vec4 c = load(at);\n" + conversions(inside, {Space::rgb}) + "  return c;\n}\n";
  if (pass.second.image >= 0)
    text +=
        fmt::format("\nvec4 load_second(ivec2 at) {{\n  vec4 c = {};\n", color_of("second_source", pass.words.second)) +
        (pass.second_space == Space::xyz ? "" : conversions({pass.second_space}, inside)) + "  return c;\n}\n";
  for (size_t index = 0; index < pass.more_sources.size(); ++index)
    text += fmt::format("vec4 load_more{0}(ivec2 at) {{ return texelFetch(more_source{0}, at, 0); }}\n", index);
  text += place_functions(pass);
  for (size_t index = 0; index < pass.more_targets.size(); ++index)
    text += fmt::format("void store_more{}(ivec2 at, vec4 c) {{ {}; }}\n", index,
                        store_statement(pass, index + 1, size_t(pass.target.bound_count) + index, "c"));
  // the mean of the texels around the corner that has `at` at its lower right
  if (pass.access.samples_at_corners)
    text += "vec4 sample_between(ivec2 at) { return textureLod(source, vec2(at), 0.0); }\n";

  text += "\nvec4 into_target(vec4 c) {\n" + through(pass.points.on_store, "store", inside, {pass.target_space}, texts);
  text += fmt::format("  return {};\n}}\n", pass.is_r11g11b10 ? "fitted(c)" : "c");
  const auto store_to = [&](int index) { return store_statement(pass, 0, size_t(index), "into_target(c)"); };
  // stores a half texel that needs no conversion
  if (is_half && is_rgb && pass.target.bound_count == 1 && pass.points.on_store.empty() && !pass.clamps &&
      pass.words.targets.empty())
    text += "#define STORES_BITS\nvoid store_bits(ivec2 at, uvec2 bits) { imageStore(target[0], at, bits.xyxx); }\n";
  // store() in two steps: what into_target() made, clamped if CLAMPS_HALF is defined, is stored by store_made()
  if (pass.target.bound_count == 1) {
    if (pass.clamps && is_half) text += "#define CLAMPS_HALF\n";
    text += fmt::format("void store_made(ivec2 at, vec4 c) {{ {}; }}\n", store_statement(pass, 0, 0, "c", false));
  }
  if (pass.target.bound_count == 1) text += fmt::format("void store(ivec2 at, vec4 c) {{ {}; }}\n", store_to(0));
  // by literals: a device need not be able to index storage images by a value
  text += "void store_level(int level, ivec2 at, vec4 c) {\n  switch (level) {\n";
  for (int index = 0; index < pass.target.bound_count; ++index)
    text += fmt::format("    case {}: {}; break;\n", index + 1, store_to(index));
  return text + "  }\n}\n";
}

static std::string declarations(const Pass& pass) {
  return extensions(pass) + runtime_texts(pass) + numbers(pass) + bindings(pass);
}

static std::string functions(const Pass& pass) {
  std::set<std::string_view> done;
  std::string text = table_functions(pass) + load_and_store(pass, done);
  append_kernel(pass.kernel, done, text);
  return text;
}

std::string glsl_of(const Pass& pass) { return declarations(pass) + functions(pass); }

std::string bounds_checking_glsl_of(const Pass& pass) {
  return declarations(pass) + bounds_declarations() + with_checked_indices(functions(pass));
}

}  // namespace gpupost
