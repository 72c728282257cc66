#include "core/op/parse.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/op/typed_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

namespace gpupost {

static double parse_choice(const Op& op, const Param& param, const std::string& word) {
  for (size_t index = 0; index < param.choices.size(); ++index)
    if (param.choices[index] == word) return double(index);
  if (param.is_for_measuring)
    fail(Exit::usage, "{0}: {1} {2} is unknown{3}; `gpupost bench {0} --list` lists the values", op.name,
         param.typed_name(), word, suggestion(word, param.choices));
  fail(Exit::usage, "{}: {} {} is not one of {}{}", op.name, param.typed_name(), word, fmt::join(param.choices, ", "),
       suggestion(word, param.choices));
}

static double parse_number(const Op& op, const Param& param, const std::string& word) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double value = number_in<double>(without_plus(word)).value_or(none);
  if (!std::isfinite(value) || (param.kind == ParamKind::integer && value != std::floor(value)))
    fail(Exit::usage, "{}: --{} {} is not {}; expected one number in {}..{}{}", op.name, param.name, word,
         param.kind == ParamKind::integer ? "a whole number" : "a number", param.min, param.max,
         op.param("red") && list_of_numbers(word) ? ", or --red, --green and --blue for single channels" : "");
  if (value < param.min || value > param.max)
    fail(Exit::usage, "{}: --{} {} is outside {}..{}", op.name, param.name, word, param.min, param.max);
  return value;
}

// Joins the values of an option that may be repeated.
static std::string parse_text(const Op& op, const Param& param, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (!param.form.matches(word))
      fail(Exit::usage, "{}: {} {} is not valid; expected {}{}{}", op.name, param.typed_name(), word, param.form.syntax,
           param.form.range.empty() ? "" : " with ", param.form.range);
  return param.form.is_repeated ? fmt::format("{}", fmt::join(words, ",")) : words.front();
}

// Sets the value of parameter `index` from the command line. `words` is empty for a flag.
static void take(Call& call, size_t index, const std::vector<std::string>& words) {
  const Op& op = *call.op;
  const Param& param = op.params[index];
  for (const std::string& word : words)
    if (word != words.front() && !param.form.is_repeated)
      fail(Exit::usage, "{}: {} is given twice, as {} and as {}; give it once", op.name, param.typed_name(),
           words.front(), word);
  switch (param.kind) {
    case ParamKind::flag: call.values[index] = 1; break;
    case ParamKind::choice: call.values[index] = parse_choice(op, param, words.front()); break;
    case ParamKind::text: call.texts[index] = parse_text(op, param, words); break;
    case ParamKind::integer:
    case ParamKind::number: call.values[index] = parse_number(op, param, words.front()); break;
  }
}

// Refuses options that have no effect in this call.
static void check_effects(const Call& call) {
  for (const Param& param : call.op->params)
    if (param.effect.in && !call.is_default(param) && !param.effect.in(call))
      fail(Exit::usage, "{}: {} has no effect {}{}", call.op->name, call.text_of(param),
           param.effect.requirement.starts_with("with ") ? "" : "without ", param.effect.requirement);
}

Call parse_call(const Op& op, const std::vector<std::string>& words) {
  std::vector<OptionNames> options;
  for (const Param& param : op.params) {
    const std::string name = param.typed_name();
    const bool has_both = param.is_positional && param.kind == ParamKind::text;  // `lut F`, `lut --file F`
    options.push_back({has_both ? fmt::format("{0},--{0}", name) : name, param.kind == ParamKind::flag});
  }
  const std::vector<TypedOption> typed = typed_options(options, words, fmt::format("{}: ", op.name));
  Call call = default_call(op);
  for (size_t index = 0; index < typed.size(); ++index)
    if (typed[index].is_given) take(call, index, typed[index].values);
  for (size_t index = 0; index < typed.size(); ++index)
    if (const Param& param = op.params[index]; param.presence == Presence::required && !typed[index].is_given)
      fail(Exit::usage, "{}: {} is missing; expected {}{}{}", op.name, param.typed_name(),
           param.is_positional ? "" : param.typed_name(), param.is_positional ? "" : " ", param.form.syntax);
  check_effects(call);
  if (op.check) op.check(call);
  return call;
}

Call parse_call(const Op& op, std::string_view line) {
  std::istringstream stream{std::string(line)};
  return parse_call(op, std::vector<std::string>(std::istream_iterator<std::string>(stream), {}));
}

static bool must_be_last(const Op& op) { return op.makes == Makes::levels || op.makes == Makes::cell; }

// Ops that only move texels also work on encoded images.
static void check_display(std::span<const Call> calls) {
  const auto encoding = std::ranges::find_if(calls, [](const Call& call) {
    return makes_content({&call, 1}, Content::display);
  });
  if (encoding == calls.end()) return;
  const auto behind = std::find_if(encoding + 1, calls.end(), [](const Call& call) { return !is_exact(call); });
  if (behind != calls.end())
    fail(Exit::usage, "{}: the result is encoded for display, and `{}` needs linear light; {}", encoding->op->name,
         behind->op->name,
         behind->op == encoding->op ? fmt::format("leave out one `{}`", encoding->op->name)
         : must_be_last(*behind->op)
             ? fmt::format("write the results of {} to files first, and read these", encoding->op->name)
             : fmt::format("put `{}` before {}", behind->op->name, encoding->op->name));
}

// Does the call work on values of any kind?
static bool takes_numbers(const Call& call) {
  const Needs needs = call.op->needs(call);
  return is_exact(call) || (!has_passes(call) && !needs.primaries && !needs.luminance);
}

// How to get light from a call that encodes its result.
static std::string way_to_light(const Call& made) {
  const Op& op = *made.op;
  const Param* linear = op.param("linear");
  if (linear && (!linear->effect.in || linear->effect.in(made)))
    return fmt::format("add --linear to {} if its result is linear light{}", op.name,
                       op.param("srgb") ? ", or --srgb if its table is for sRGB" : "");
  if (op.param("from") && op.param("to") && !made.word("to").empty())
    return fmt::format("add `{} --from {} --to SPACE` with a scene-linear SPACE behind it", op.name, made.word("to"));
  return fmt::format("write the results of {} to files first, and read these", op.name);
}

// Ops that mix texels would give wrong results for encoded values, until a call makes light of them again.
static void check_numbers(std::span<const Call> calls) {
  const Call* made = nullptr;  // the call that encodes the values
  for (size_t index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    if (made && !takes_numbers(call))
      fail(Exit::usage, "{}: the result is encoded, and `{}` needs linear light; {}", made->text(), call.op->name,
           call.op == made->op ? fmt::format("tell it which encoding it reads (`gpupost help {}`)", call.op->name)
                               : (must_be_last(*call.op) ? "" : fmt::format("put it before {}, or ", made->op->name)) +
                                     way_to_light(*made));
    if (!makes_content(calls.first(index + 1), Content::numbers)) made = nullptr;
    else if (makes_content({&call, 1}, Content::numbers)) made = &call;
  }
}

static void check_first(std::span<const Call> calls) {
  for (size_t index = 1; index < calls.size(); ++index) {
    const Call& call = calls[index];
    const std::string_view why = call.op->needs(call).front;
    if (!why.empty()) fail(Exit::usage, "{}: {}; `{}` comes before it", call.text(), why, calls[index - 1].op->name);
  }
}

// "; use `mips --bleed`" if the op has an option for what `next` does.
static std::string option_for(const Op& op, const Op& next) {
  return op.param(next.name) ? fmt::format("; use `{} --{}`", op.name, next.name) : "";
}

// Returns what to do if `call` must not follow `filler`, a call that gives texels with alpha 0 a color.
static std::string instead_of(const Call& filler, const Call& call) {
  if (!option_for(*filler.op, *call.op).empty()) return fmt::format("; leave `{}` out", call.op->name);
  const std::string option = option_for(*call.op, *filler.op);
  const bool makes_data = makes_content({&call, 1}, Content::data);
  if (!option.empty())
    return call.op == filler.op || makes_data || output_of(call, Output{}).colors_transparent
               ? fmt::format("; leave `{}` out", filler.op->name)
               : option;
  const Content content = output_of(call, Output{}).content;
  if (content == Content::data) return fmt::format("; use two runs, with `{}` in the second", call.op->name);
  const bool is_before_colors = content != Content::color;
  if (call.op == filler.op || is_before_colors || must_be_last(*call.op))
    return fmt::format("; leave `{}` out", filler.op->name);
  return fmt::format("; put `{}` before it", call.op->name);
}

// Ops that mix or measure texels would take the straight color of texels with alpha 0 for light.
static void check_transparent_colors(std::span<const Call> calls) {
  const auto fills = [](const Call& call) { return output_of(call, Output{}).colors_transparent; };
  for (size_t index = 1; index < calls.size(); ++index) {
    const Call& call = calls[index];
    const bool mixes = (has_passes(call) && !is_exact(call)) || footprint_of(call, {1, 1}).measure;
    if (!mixes || call.op->makes == Makes::statistics || !output_of(calls.first(index), Output{}).colors_transparent)
      continue;
    const Call& filler = *std::ranges::find_if(calls, fills);
    fail(Exit::usage, "{}: gives texels with alpha 0 a color that is not light, and `{}` takes color as light{}",
         filler.op->name, call.op->name, instead_of(filler, call));
  }
}

void check_chain(std::span<const Call> calls) {
  check_display(calls);
  check_numbers(calls);
  check_first(calls);
  check_transparent_colors(calls);
  for (size_t index = 0; index + 1 < calls.size(); ++index)
    if (const Makes makes = calls[index].op->makes; must_be_last(*calls[index].op))
      fail(Exit::usage, "{}: makes {} and must be the last op; `{}` comes after it{}", calls[index].op->name,
           makes == Makes::levels ? "mip levels" : "one image of all inputs", calls[index + 1].op->name,
           option_for(*calls[index].op, *calls[index + 1].op));
}

// Levenshtein distance of two words.
static size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Names of other programs, and those of gpupost for the same; "" if gpupost has none.
static constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"aces", "hill"},
    {"aces", "ap0"},
    {"acescg", "ap1"},
    {"ati1", "bc4"},
    {"ati2", "bc5"},
    {"bc2", "bc3"},
    {"bc6", "bc6h"},
    {"bicubic", "catmull-rom"},
    {"bilinear", "triangle"},
    {"brightness", "exposure"},
    {"bspline", "cubic"},
    {"bt2020", "rec2020"},
    {"bt709", "rec709"},
    {"composite", "merge"},
    {"convert", ""},
    {"diff", "compare"},
    {"display-p3", "p3-d65"},
    {"dxt1", "bc1"},
    {"dxt3", "bc3"},
    {"dxt5", "bc3"},
    {"--ev", "--stops"},
    {"filmic", "hable"},
    {"float", "32f"},
    {"--half", "--fp16"},
    {"half", "16f"},
    {"--height", "--size"},
    {"identify", "info"},
    {"montage", "sheet"},
    {"negate", "invert"},
    {"normal", "over"},
    {"p3", "p3-d65"},
    {"plus", "add"},
    {"point", "nearest"},
    {"--scale", "--size"},
    {"scale", "resize"},
    {"srgb", "rec709"},
    {"srgb", "srgb"},
    {"--temp", "--kelvin"},
    {"--temperature", "--kelvin"},
    {"thumbnail", "resize"},
    {"tonemapping", "tonemap"},
    {"uint16", "16"},
    {"uint8", "8"},
    {"unsharp", "sharpen"},
    {"--width", "--size"},
    {"wrap", "repeat"},
    {"wrap", "warp"},
};

// The known name for a word of another program, or "" if there is none. Nothing for other words.
static std::optional<std::string_view> name_here(std::string_view word, const std::vector<std::string_view>& known) {
  std::optional<std::string_view> name;
  for (const auto& [other, own] : other_names)
    if (other == word && (!name || name->empty()))
      name = std::ranges::find(known, own) == known.end() ? std::string_view() : own;
  return name;
}

std::string closest_word(std::string_view given, const std::vector<std::string_view>& known) {
  const std::string word = lower_case(given);
  if (const std::optional<std::string_view> name = name_here(word, known)) return std::string(*name);

  const size_t letter_count =
      word.size() - std::min(word.find_first_not_of('-'), word.size());  // without leading dashes
  std::string_view best;
  size_t best_distance = std::min(letter_count / 4 + 2, letter_count);  // typos have a smaller distance
  for (const std::string_view candidate : known)
    if (const size_t distance = edit_distance(word, lower_case(candidate)); distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  return std::string(best);
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string near = closest_word(word, known);
  return near.empty() ? "" : fmt::format(" (did you mean `{}`?)", near);
}

}  // namespace gpupost
