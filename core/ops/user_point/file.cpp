#include "core/ops/user_point/file.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/glsl/user_source.h"
#include "core/op/parse.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

namespace gpupost {

namespace {

constexpr std::string_view head = "//!";
constexpr size_t longest_shown = 100;  // of a line, in messages

bool is_name(std::string_view word) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto belongs = [&](char c) { return is_small(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !word.empty() && word.size() <= 64 && is_small(word[0]) && std::ranges::all_of(word, belongs);
}

// Returns whether is_name() accepts a keyword of GLSL. Sources: GLSL 4.60, 3.6, and
// GL_KHR_memory_scope_semantics.
bool is_keyword(std::string_view word) {
  static constexpr std::string_view words[] = {
      "active",   "asm",       "atomic_uint", "attribute", "bool",      "break",    "buffer",        "case",
      "cast",     "centroid",  "class",       "coherent",  "common",    "const",    "continue",      "default",
      "discard",  "do",        "double",      "else",      "enum",      "extern",   "external",      "false",
      "filter",   "fixed",     "flat",        "float",     "for",       "goto",     "half",          "highp",
      "if",       "in",        "inline",      "inout",     "input",     "int",      "interface",     "invariant",
      "layout",   "long",      "lowp",        "mediump",   "namespace", "noinline", "noperspective", "out",
      "output",   "partition", "patch",       "precise",   "precision", "public",   "readonly",      "resource",
      "restrict", "return",    "sample",      "sampler",   "shared",    "short",    "sizeof",        "smooth",
      "static",   "struct",    "subroutine",  "superp",    "switch",    "template", "this",          "true",
      "typedef",  "uint",      "uniform",     "union",     "unsigned",  "using",    "varying",       "void",
      "volatile", "while",     "writeonly"};
  static constexpr std::string_view of_memory[] = {"devicecoherent",     "nonprivate",       "queuefamilycoherent",
                                                   "shadercallcoherent", "subgroupcoherent", "workgroupcoherent"};
  static constexpr std::string_view numbered[] = {"vec", "bvec", "dvec", "fvec", "hvec", "ivec", "uvec", "mat", "dmat"};
  const size_t digits = std::min(word.find_first_of("234"), word.size());
  const std::string_view sides = word.substr(digits);  // "4" of vec4, "2x3" of mat2x3
  const bool has_sides = sides.size() == 1 || (sides.size() == 3 && sides[1] == 'x');
  return std::ranges::count(words, word) > 0 || std::ranges::count(of_memory, word) > 0 ||
         (has_sides && std::ranges::count(numbered, word.substr(0, digits)) > 0);
}

std::optional<double> number_of(std::string_view word) {
  const std::optional<double> number = number_in<double>(without_plus(word));
  return number && std::isfinite(float(*number)) ? number : std::nullopt;
}

// A line of the header in its words.
struct Line {
  std::string text;
  std::vector<std::string> words;
  int number = 0;
};

std::vector<Line> header_of(std::string_view source) {
  std::vector<Line> lines;
  std::istringstream stream{std::string(source)};
  int number = 0;
  for (std::string text; std::getline(stream, text);) {
    ++number;
    if (!text.starts_with(head)) continue;
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 32 || c == 127; }, ' ');
    std::istringstream rest(text.substr(head.size()));
    lines.push_back({text, {std::istream_iterator<std::string>(rest), {}}, number});
  }
  return lines;
}

// Takes what the lines say into a PointFile, each line once but for parameters.
class Header {
 public:
  Header(const std::vector<Line>& lines, const std::string& file) : file_(file) {
    for (const Line& line : lines) take(line);
    if (point_.name.empty())
      fail(Exit::input, "{}: has no line {}point NAME HELP; add one (see `gpupost help point`)", file, head);
  }
  PointFile point() && { return std::move(point_); }

 private:
  [[noreturn]] void refuse(const Line& line, std::string_view expected) const {
    fail(Exit::input, "{}:{}: {} is not valid; expected {}{}", file_, line.number, line.text.substr(0, longest_shown),
         head, expected);
  }

  void refuse_keyword(const Line& line) const {
    if (is_keyword(line.words[1]))
      fail(Exit::input, "{}:{}: {}{} {}: {} is a keyword of GLSL; choose another name", file_, line.number, head,
           line.words[0], line.words[1], line.words[1]);
  }

  void take(const Line& line) {
    const std::string kind = line.words.empty() ? "" : line.words[0];
    if (kind == "param") return take_param(line);
    if (std::ranges::find(seen_, kind) != seen_.end())
      fail(Exit::input, "{}:{}: is the second line {}{}; remove one", file_, line.number, head, kind);
    seen_.push_back(kind);
    if (kind == "point") take_name(line);
    else if (kind == "space") point_.space = PointSpace(choice(line, {"rgb", "yxy"}));
    else if (kind == "alpha") point_.is_straight = choice(line, {"straight", "premultiplied"}) == 0;
    else refuse(line, "point, space, alpha or param after it");
  }

  void take_name(const Line& line) {
    if (line.words.size() < 2 || !is_name(line.words[1]))
      refuse(line, "point NAME HELP, with a name of lowercase letters, digits and _");
    refuse_keyword(line);
    point_.name = line.words[1];
  }

  size_t choice(const Line& line, const std::vector<std::string_view>& choices) const {
    const auto found = line.words.size() == 2 ? std::ranges::find(choices, line.words[1]) : choices.end();
    if (found == choices.end()) refuse(line, fmt::format("{} {}", line.words[0], fmt::join(choices, "|")));
    return size_t(found - choices.begin());
  }

  // NAME DEFAULT MIN..MAX HELP
  void take_param(const Line& line) {
    constexpr std::string_view form = "param NAME DEFAULT MIN..MAX HELP";
    if (line.words.size() < 4 || !is_name(line.words[1])) refuse(line, form);
    refuse_keyword(line);
    const std::string& range = line.words[3];
    const size_t dots = std::min(range.find(".."), range.size());
    const std::optional<double> def = number_of(line.words[2]), min = number_of(range.substr(0, dots)),
                                max = number_of(std::string_view(range).substr(std::min(dots + 2, range.size())));
    if (!def || !min || !max) refuse(line, form);
    if (!(*min <= *def && *def <= *max)) refuse(line, "param with a default within its range");
    const PointParam param{.name = line.words[1], .default_value = *def, .min = *min, .max = *max, .line = line.number};
    if (std::ranges::find(point_.params, param.name, &PointParam::name) != point_.params.end())
      fail(Exit::input, "{}:{}: declares {} a second time; remove one", file_, line.number, param.name);
    point_.params.push_back(param);
  }

  const std::string& file_;
  std::vector<std::string> seen_;
  PointFile point_;
};

// With the line of the file before each member, which is where the compiler then finds fault with it.
std::string struct_of(const PointFile& point) {
  std::string text = fmt::format("struct {}{}_params {{\n", name_mark, point.name);
  for (const PointParam& param : point.params) text += fmt::format("#line {}\n  float {};\n", param.line, param.name);
  return text + (point.params.empty() ? "  int none;\n};\n" : "};\n");
}

// Puts what --set says into the values of the parameters.
void set(const PointFile& point, std::string_view setting, const std::string& file, std::vector<ShaderParam>& fields) {
  const size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals), number = setting.substr(equals + 1);
  const auto param = std::ranges::find(point.params, name, &PointParam::name);
  if (param == point.params.end()) {
    std::vector<std::string_view> known;
    for (const PointParam& candidate : point.params) known.push_back(candidate.name);
    fail(Exit::usage, "point: --set {}: {} declares {}{}", setting, file,
         known.empty() ? "no parameters" : fmt::format("no {}, but {}", name, fmt::join(known, ", ")),
         suggestion(name, known));
  }
  const double value = *number_of(number);
  if (value < param->min || value > param->max)
    fail(Exit::usage, "point: --set {} is outside {}..{}", setting, param->min, param->max);
  fields[size_t(param - point.params.begin())].value = value;
}

}  // namespace

bool is_setting(std::string_view text) {
  return std::ranges::all_of(split_at_commas(text), [](std::string_view part) {
    const size_t equals = part.find('=');
    return equals != part.npos && is_name(part.substr(0, equals)) && number_of(part.substr(equals + 1));
  });
}

PointFile parse_point_file(std::string_view source, const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // of UTF-8, which editors put at the front
  if (source.starts_with(byte_order_mark)) source.remove_prefix(byte_order_mark.size());
  PointFile point = Header(header_of(source), file).point();
  const std::string own = checked_glsl(source, file, point.name);
  point.text = fmt::format("{}#line 1\n{}\n", struct_of(point), own);
  return point;
}

FusedPoint fused_point_of_source(const Call& call) {
  const std::string& file = call.word("file");
  PointFile point = parse_point_file(call.source, file);
  std::vector<ShaderParam> fields;
  for (const PointParam& param : point.params) fields.push_back({.name = param.name, .value = param.default_value});
  const std::string& set_words = call.word("set");
  const std::vector<std::string_view> settings =
      set_words.empty() ? std::vector<std::string_view>() : split_at_commas(set_words);
  for (size_t index = 0; index < settings.size(); ++index) {
    const std::string_view name = settings[index].substr(0, settings[index].find('=') + 1);
    for (size_t before = 0; before < index; ++before)
      if (settings[before].starts_with(name) && settings[before] != settings[index])
        fail(Exit::usage, "point: --set is given twice, as {} and as {}", settings[before], settings[index]);
    set(point, settings[index], file, fields);
  }
  return {.name = point.name,
          .text = std::move(point.text),
          .file = file,
          .fields = std::move(fields),
          .space = point.space,
          .alpha = point.is_straight ? PointAlpha::straight : PointAlpha::premultiplied};
}

}  // namespace gpupost
