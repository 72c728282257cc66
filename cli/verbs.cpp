#include "cli/verbs.h"

#include "cli/explain.h"
#include "cli/help.h"
#include "cli/report.h"
#include "cli/request.h"
#include "core/chain.h"
#include "core/generate.h"
#include "core/ops/ops.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>

namespace gpupost {

std::span<const Verb* const> all_verbs() {
  static constexpr std::array verbs{&devices_verb, &doctor_verb, &compare_verb,    &info_verb, &bench_verb,  &tune_verb,
                                    &ops_verb,     &shader_verb, &completion_verb, &help_verb, &version_verb};
  return verbs;
}

const Verb* verb_named(std::string_view name) {
  for (const Verb* verb : all_verbs())
    if (verb->name == name) return verb;
  return nullptr;
}

std::vector<const Global*> globals_of(const Verb& verb) {
  std::vector<const Global*> globals;
  for (const Global& global : all_globals())
    if (verb.takes_global && verb.takes_global(global)) globals.push_back(&global);
  return globals;
}

std::string VerbOption::value_text() const {
  return choices.empty() ? std::string(value) : fmt::format("{}", fmt::join(choices, "|"));
}

std::string VerbCall::value(std::string_view option) const {
  const auto found = values.find(option);
  return found == values.end() ? "" : found->second.back();
}

std::vector<std::string> VerbCall::list(std::string_view option) const {
  const auto found = values.find(option);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

std::string device_of(const VerbCall& call) { return parse_globals(call.global_words).device; }

namespace {

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

// Walks the words from left to right.
class VerbWalker {
 public:
  VerbWalker(const Verb& verb, const std::vector<std::string>& words) : verb_(verb), words_(words) {}

  VerbCall walk() {
    call_.given = words_;
    for (; next_ < words_.size(); ++next_) {
      const std::string& word = words_[next_];
      if (word == "--") {
        call_.words.insert(call_.words.end(), words_.begin() + long(next_) + 1, words_.end());
        break;
      }
      if (is_option(word)) option(word);
      else call_.words.push_back(word);
    }
    check_count();
    return std::move(call_);
  }

 private:
  void option(const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    const auto own = std::ranges::find(verb_.options, name, &VerbOption::name);
    if (own != verb_.options.end()) return take(*own, word);
    for (const Global* global : globals_of(verb_))
      if (name == global->short_name || name == fmt::format("--{}", global->name)) return take(*global, word);
    std::vector<std::string> known;
    for (const VerbOption& option : verb_.options) known.emplace_back(option.name);
    for (const Global* global : globals_of(verb_)) known.push_back(fmt::format("--{}", global->name));
    const std::string expected = known.empty() ? "it has no options" : fmt::format("it has {}", fmt::join(known, ", "));
    fail(Exit::usage, "{}: unknown option {}{}; {}", verb_.name, name, suggestion(name, {known.begin(), known.end()}),
         expected);
  }

  void take(const VerbOption& option, const std::string& word) {
    std::vector<std::string>& values = call_.values[option.name];
    const std::string value = option.value.empty() ? flag_of(word) : value_of(word);
    const bool is_list = option.value.ends_with("...");
    if (!values.empty() && values.back() != value && !is_list)
      fail(Exit::usage, "{}: {} is given twice, as {} and as {}; give it once", verb_.name, option.name, values.back(),
           value);
    if (!option.choices.empty() && std::ranges::find(option.choices, value) == option.choices.end())
      fail(Exit::usage, "{}: {} {} is none of {}{}", verb_.name, option.name, value, fmt::join(option.choices, ", "),
           suggestion(value, option.choices));
    values.push_back(value);
    while (is_list && next_ + 1 < words_.size() && !is_option(words_[next_ + 1])) values.push_back(words_[++next_]);
  }

  void take(const Global& global, const std::string& word) {
    const std::string flag = fmt::format("--{}", global.name);
    if (global.value.empty()) flag_of(word);
    call_.global_words.push_back(global.value.empty() ? flag : flag + "=" + value_of(word));
  }

  std::string flag_of(const std::string& word) const {
    const size_t equals = word.find('=');
    if (equals != word.npos)
      fail(Exit::usage, "{}: {}: {} takes no value; give {} alone", verb_.name, word, word.substr(0, equals),
           word.substr(0, equals));
    return "1";
  }

  // What stands behind the =, else the next word, whatever that looks like.
  std::string value_of(const std::string& word) {
    const size_t equals = word.find('=');
    if (equals == word.npos && next_ + 1 >= words_.size())
      fail(Exit::usage, "{}: {} needs a value and is the last word", verb_.name, word);
    const std::string value = equals == word.npos ? words_[++next_] : word.substr(equals + 1);
    if (value.empty())
      fail(Exit::usage, "{}: {} has an empty value; leave it out, or give it one", verb_.name, word.substr(0, equals));
    return value;
  }

  void check_count() const {
    const size_t count = call_.words.size();
    if (count >= verb_.least_words && count <= verb_.most_words) return;
    const std::string expected = verb_.most_words == 0                   ? "no"
                                 : verb_.least_words == verb_.most_words ? fmt::format("{}", verb_.least_words)
                                 : verb_.most_words == any_count
                                     ? fmt::format("at least {}", verb_.least_words)
                                     : fmt::format("{} to {}", verb_.least_words, verb_.most_words);
    fail(Exit::usage, "{}: {} arguments were given and it takes {}; expected: gpupost {}", verb_.name, count, expected,
         verb_.usage);
  }

  const Verb& verb_;
  const std::vector<std::string>& words_;
  size_t next_ = 0;
  VerbCall call_;
};

}  // namespace

VerbCall parse_verb(const Verb& verb, const std::vector<std::string>& words) {
  if (verb.argument == Argument::chain) return {.words = words, .values = {}, .global_words = {}, .given = words};
  return VerbWalker(verb, words).walk();
}

void print_out(std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // a closed pipe is the reader's choice
  if (!is_written && errno != EPIPE)
    fail(Exit::output, "standard output: cannot be written: {}", std::generic_category().message(errno));
}

// --- verbs that print what the program knows ------------------------------------------------------------------------

static Exit run_ops(const VerbCall& call) {
  print_out(call.has("--markdown") ? ops_markdown() : ops_list());
  return Exit::done;
}

const Verb ops_verb{
    .name = "ops",
    .summary = "List the ops",
    .usage = "ops [--markdown]",
    .description = "Prints a line for each op. `gpupost help OP` prints all about one of them.",
    .options = {{"--markdown", "", "Print the reference of all ops and options as Markdown", {}}},
    .examples = {"ops"},
    .run = run_ops,
};

static Exit run_help(const VerbCall& call) {
  if (call.words.empty()) {
    print_out(help_text());
    return Exit::done;
  }
  const std::string& word = call.words.front();
  const Op* op = op_named(word);
  const Verb* verb = verb_named(word);
  std::vector<std::string_view> known = op_names();
  for (const Verb* candidate : all_verbs()) known.push_back(candidate->name);
  if (!op && !verb)
    fail(Exit::usage, "help: {} is neither an op nor a verb{}; `gpupost help` lists both", word,
         suggestion(word, known));
  print_out(op ? help_text(*op) : help_text(*verb));
  return Exit::done;
}

const Verb help_verb{
    .name = "help",
    .summary = "Print this text, or all about an op or a verb",
    .usage = "help [OP|VERB]",
    .argument = Argument::op_or_verb,
    .most_words = 1,
    .examples = {"help", "help mips", "help compare"},
    .run = run_help,
};

static Exit run_version(const VerbCall&) {
  print_out(version_text() + "\n");
  return Exit::done;
}

const Verb version_verb{
    .name = "version",
    .summary = "Print version and commit",
    .usage = "version",
    .examples = {"version"},
    .run = run_version,
};

static Exit run_shader(const VerbCall& call) {
  const Request request = parse_request(call.words);
  if (request.calls.empty()) fail(Exit::usage, "shader: no op; expected a chain, like: gpupost shader mips --fp16");
  std::set<std::string> printed;  // channels beside the color mostly go through the same shaders
  for (const ExplainedGroup& group : plans_of(request).groups)
    for (const ExplainedStep& step : group.steps)
      for (const Pass& pass : step.plan.passes)
        if (const std::string glsl = glsl_of(pass); printed.insert(glsl).second)
          print_out(fmt::format("// pass: {}\n{}\n", pass.name, glsl));
  return Exit::done;
}

const Verb shader_verb{
    .name = "shader",
    .summary = "Print the shaders that a chain runs",
    .usage = "shader CHAIN",
    .description =
        "Prints the GLSL of each pass of the chain, for the device that would run it. The chain is written as "
        "for a run; the input is optional.",
    .argument = Argument::chain,
    .least_words = 1,
    .most_words = any_count,
    .takes_global = [](const Global&) { return true; },
    .examples = {"shader mips --fp16", "shader exposure --stops 1 blur --radius 7"},
    .run = run_shader,
};

}  // namespace gpupost
