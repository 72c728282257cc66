#include "core/glsl/word_access.h"

#include "core/base/error.h"
#include "core/glsl/shader_text.h"
#include "core/plan/strips.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpupost {

namespace {

struct WordsText {
  std::string_view image, format;      // of a source: its type and its layout
  std::string_view components, color;  // components of what is read, and these as a color
  std::string_view type, packed;       // of a target: its type, and a color as that
};

WordsText text_of(Words words) {
  switch (words) {
    case Words::halves4: return {"uimage2D", "rg32ui", ".xy", "of_half_bits({})", "uvec2", "half_bits({}).xy"};
    case Words::bytes4: return {"uimage2D", "r32ui", ".x", "unpackUnorm4x8({})", "uint", "packUnorm4x8({})"};
    case Words::floats4: return {"image2D", "rgba32f", "", "{}", "vec4", "{}"};
    case Words::floats2: return {"image2D", "rg32f", "", "{}", "vec2", "({}).xy"};
    case Words::floats1: return {"image2D", "r32f", "", "{}", "float", "({}).x"};
    case Words::none: break;
  }
  fail(Exit::bug, "an image without words is read as words");
}

std::string with(std::string_view text, std::string_view argument) { return fmt::format(fmt::runtime(text), argument); }

// The word of the texel `at` of an image.
std::string word_of(std::string_view image, Words words, bool is_sampled) {
  if (words == Words::none || is_sampled)
    return fmt::format("texelFetch({}, at, 0){}", image, words == Words::none ? "" : text_of(words).components);
  return fmt::format("imageLoad({}_words, at){}", image, text_of(words).components);
}

}  // namespace

std::string word_bindings(const Pass& pass) {
  std::string text;
  const auto add_source = [&](int index, std::string_view name, Words words) {
    if (words == Words::none) return;
    text += fmt::format("layout(binding = {}, {}) readonly uniform {} {}_words;\n", source_words_binding + index,
                        text_of(words).format, text_of(words).image, name);
  };
  if (!pass.words.samples_source) add_source(0, "source", pass.words.source);
  add_source(1, "second_source", pass.words.second);
  for (size_t index = 0; index < pass.words.targets.size(); ++index)
    text += fmt::format("layout(binding = {0}, std430) writeonly buffer Target{1} {{ {2} target_words{1}[]; }};\n",
                        target_words_binding + int(index), index, text_of(pass.words.targets[index]).type);
  return text;
}

std::string pitches(const Pass& pass) {
  std::string text;
  for (size_t index = 0; index < pass.words.targets.size(); ++index)
    text += fmt::format("  int target_pitch{};\n", index);
  return text;
}

bool packs_halves(const Pass& pass) {
  const PassWords& words = pass.words;
  return !pass.half_targets.empty() || words.source == Words::halves4 || words.second == Words::halves4 ||
         std::ranges::count(words.targets, Words::halves4) > 0;
}

std::string color_of(std::string_view image, Words words, bool is_sampled) {
  const std::string word = word_of(image, words, is_sampled);
  return words == Words::none ? word : with(text_of(words).color, word);
}

std::string word_functions(const Pass& pass) {
  if (!pass.access.reads_words) return "";
  const Words words = pass.words.source;
  return fmt::format(
      "#define SOURCE_WORD {0}\n{0} source_word(ivec2 at) {{ return {1}; }}\n"
      "vec4 color_of_word({0} word) {{ return loaded({2}); }}\n",
      are_bits(words) ? text_of(words).type : "vec4", word_of("source", words, pass.words.samples_source),
      words == Words::none ? "word" : with(text_of(words).color, "word"));
}

std::string ring_statement(int ring, std::string_view mask) {
  return ring > 0 ? fmt::format("at.y &= {}; ", mask) : "";
}

std::string place_functions(const Pass& pass) {
  if (pass.words.targets.empty()) return "";
  std::string text = "#ifndef CHECKED_PLACE\n#define CHECKED_PLACE(image, at) at\n#endif\n";
  for (size_t index = 0; index < pass.words.targets.size(); ++index) {
    const size_t image = index == 0 ? 0 : size_t(pass.target.bound_count) + index - 1;
    text += fmt::format(
        "int target_place{0}(ivec2 at) {{\n  {2}at = CHECKED_PLACE(target[{1}], at);\n"
        "  return at.y * target_pitch{0} + at.x;\n}}\n",
        index, image, ring_statement(pass.target_ring, target_ring_mask));
  }
  return text;
}

std::string store_statement(const Pass& pass, size_t target, size_t image, std::string_view color, bool clamps) {
  const bool is_half = !pass.half_targets.empty() && pass.half_targets[target];
  const std::string fitting =
      fmt::format(fmt::runtime(clamps && pass.clamps && is_half ? "clamp_half({})" : "{}"), color);
  if (!pass.words.targets.empty())
    return fmt::format("target_words{0}[target_place{0}(at)] = {1}", target,
                       with(text_of(pass.words.targets[target]).packed, fitting));
  const std::string_view packed = pass.half_targets.empty() ? "{}" : is_half ? "half_bits({})" : "floatBitsToUint({})";
  return fmt::format("imageStore(target[{}], at, {})", image, with(packed, fitting));
}

}  // namespace gpupost
