#include "core/chain.h"

#include "core/error.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>

namespace gpupost {

static double parse_choice(const Op& op, const Param& param, const std::string& word) {
  for (size_t index = 0; index < param.choices.size(); ++index)
    if (param.choices[index] == word) return double(index);
  fail(Exit::usage, "{}: --{} {} is none of {}{}", op.name, param.name, word, fmt::join(param.choices, ", "),
       suggestion(word, param.choices));
}

static double parse_number(const Op& op, const Param& param, const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_number = error == std::errc() && end == word.data() + word.size() && std::isfinite(value);
  if (!is_number || (param.kind == ParamKind::integer && value != std::floor(value)))
    fail(Exit::usage, "{}: --{} {} is not {}", op.name, param.name, word,
         param.kind == ParamKind::integer ? "a whole number" : "a number");
  if (value < param.min || value > param.max)
    fail(Exit::usage, "{}: --{} {} is outside {}..{}", op.name, param.name, word, param.min, param.max);
  return value;
}

Call parse_call(const Op& op, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  std::vector<std::vector<std::string>> texts(op.params.size());
  std::vector<CLI::Option*> options;
  for (size_t index = 0; index < op.params.size(); ++index) {
    const Param& param = op.params[index];
    const std::string flag = fmt::format("--{}", param.name);
    options.push_back(param.kind == ParamKind::flag ? app.add_flag(flag)
                                                    : app.add_option(flag, texts[index])->expected(1)->take_all());
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    fail(Exit::usage, "{}: {}", op.name, error.what());
  }
  Call call = default_call(op);
  for (size_t index = 0; index < options.size(); ++index) {
    const Param& param = op.params[index];
    if (options[index]->count() == 0) continue;
    for (const std::string& text : texts[index])
      if (text != texts[index].front())
        fail(Exit::usage, "{}: --{} is given twice, as {} and as {}", op.name, param.name, texts[index].front(), text);
    call.values[index] = param.kind == ParamKind::flag     ? 1
                         : param.kind == ParamKind::choice ? parse_choice(op, param, texts[index].front())
                                                           : parse_number(op, param, texts[index].front());
  }
  return call;
}

Call parse_call(const Op& op, std::string_view line) {
  std::istringstream stream{std::string(line)};
  return parse_call(op, std::vector<std::string>(std::istream_iterator<std::string>(stream), {}));
}

void check_chain(std::span<const Call> calls) {
  for (size_t index = 0; index + 1 < calls.size(); ++index)
    if (calls[index].op->makes_levels)
      fail(Exit::usage, "{}: makes mip levels and must be the last op; `{}` stands behind it", calls[index].op->name,
           calls[index + 1].op->name);
}

// Letters to change, add or drop to make one word of the other.
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

std::string nearest(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  size_t best_distance = word.size() / 3 + 2;  // at most that many letters off, not counting this one
  for (const std::string_view candidate : known)
    if (const size_t distance = edit_distance(word, candidate); distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  return std::string(best);
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : fmt::format(" (did you mean `{}`?)", near);
}

}  // namespace gpupost
