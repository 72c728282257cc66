#include "core/generate.h"

#include "core/error.h"

#include <set>

namespace gpupost {

// Puts the text of kernel `name` behind `text`, each file it includes once and before it.
static void append_kernel(std::string_view name, std::set<std::string_view>& done, std::string& text) {
  if (!done.insert(name).second) return;
  constexpr std::string_view mark = "#include \"";
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
  if (pass.scratch_bytes)
    text += "#pragma use_vulkan_memory_model\n#extension GL_KHR_memory_scope_semantics : require\n";
  if (pass.half_arithmetic) text += "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n";
  if (pass.subgroup_size) text += "#extension GL_KHR_shader_subgroup_quad : require\n";
  if (pass.subgroup_size > 4) text += "#extension GL_KHR_shader_subgroup_shuffle : require\n";
  if (pass.subgroup_size && pass.half_arithmetic)
    text += "#extension GL_EXT_shader_subgroup_extended_types_float16 : require\n";
  return text;
}

static std::string numbers(const Pass& pass) {
  std::string text = pass.half_arithmetic ? "#define HALF 1\n#define real float16_t\n#define real4 f16vec4\n"
                                          : "#define HALF 0\n#define real float\n#define real4 vec4\n";
  for (const Literal& literal : pass.literals) text += fmt::format("#define {} {}\n", literal.name, literal.value);
  return text;
}

static std::string bindings(const Pass& pass) {
  std::string text = fmt::format("layout(local_size_x = {}, local_size_y = {}) in;\n", pass.group[0], pass.group[1]);
  text += fmt::format("layout(binding = {}) uniform sampler2D source;\n", int(source_binding));
  text += fmt::format("layout(binding = {}) writeonly uniform image2D target[{}];\n", int(target_binding),
                      pass.bound_targets);
  if (pass.scratch_bytes)
    text += fmt::format(
        "layout(binding = {0}, std430) queuefamilycoherent buffer Counters {{ uint scratch_counters[]; }};\n"
        "layout(binding = {0}, std430) queuefamilycoherent buffer Texels {{ vec4 scratch_texels[]; }};\n"
        "layout(binding = {0}, std430) nonprivate readonly buffer Kept {{ vec4 kept_texels[]; }};  // once acquired\n",
        int(scratch_binding));
  if (pass.has_statistics)
    text += fmt::format("layout(binding = {}, std430) buffer Statistics {{ uint statistics[]; }};\n",
                        int(statistics_binding));
  if (!pass.table.empty())
    text += fmt::format(
        "layout(binding = {0}, std430) readonly buffer Table {{ float table[]; }};\n"
        "layout(binding = {0}, std430) readonly buffer Table4 {{ vec4 table4[]; }};  // four of them at once\n",
        int(table_binding));
  text += "layout(push_constant) uniform Push {\n";
  for (const PushValue& value : pass.values) text += fmt::format("  int {};\n", value.name);
  return text + "};\n";
}

static std::string load_and_store(const Pass& pass) {
  const bool from_yxy = pass.source_space == Space::yxy, to_yxy = pass.target_space == Space::yxy;
  const std::string_view loaded = from_yxy ? "xyz_of(c)" : "c";
  const std::string_view stored = to_yxy ? "rounded(yxy_of(c))" : "rounded(c)";
  std::string text = from_yxy || to_yxy ? "\n" + std::string(kernel_text("yxy.glsl")) : "";
  text +=
      pass.rounds_to_half ? "\n" + std::string(kernel_text("round.glsl")) : "\nvec4 rounded(vec4 c) { return c; }\n";
  text += fmt::format("\nvec4 loaded(vec4 c) {{ return {}; }}\n", loaded);
  text += "vec4 load(ivec2 at) { return loaded(texelFetch(source, at, 0)); }\n";
  // the mean of the texels around the corner that has `at` at its lower right
  if (pass.samples_between) text += "vec4 sample_between(ivec2 at) { return textureLod(source, vec2(at), 0.0); }\n";
  if (pass.bound_targets == 1)
    text += fmt::format("void store(ivec2 at, vec4 c) {{ imageStore(target[0], at, {}); }}\n", stored);
  // by literals: a device need not be able to index storage images by a value
  text += "void store_level(int level, ivec2 at, vec4 c) {\n  switch (level) {\n";
  for (int index = 0; index < pass.bound_targets; ++index)
    text += fmt::format("    case {}: imageStore(target[{}], at, {}); break;\n", index + 1, index, stored);
  return text + "  }\n}\n";
}

std::string glsl_of(const Pass& pass) {
  std::string text = extensions(pass) + numbers(pass) + bindings(pass) + load_and_store(pass);
  std::set<std::string_view> done;
  append_kernel(pass.kernel, done, text);
  return text;
}

}  // namespace gpupost
