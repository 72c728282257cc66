#include "cli/options/command_row.h"

#include "core/op/parse.h"
#include "core/ops/registry.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gpupost {

static std::span<const CommandRow* const> handed_in;

void use_verbs(std::span<const CommandRow* const> verbs) { handed_in = verbs; }
std::span<const CommandRow* const> all_verbs() { return handed_in; }

const CommandRow* verb_named(std::string_view name) {
  for (const CommandRow* verb : all_verbs())
    if (verb->name == name) return verb;
  return nullptr;
}

std::vector<const Global*> globals_of(const CommandRow& verb) {
  std::vector<const Global*> globals;
  for (const Global& global : all_globals())
    if (verb.takes_global && verb.takes_global(global)) globals.push_back(&global);
  return globals;
}

std::string CommandOption::value_text() const {
  return choices.empty() ? std::string(value) : fmt::format("{}", fmt::join(choices, "|"));
}

std::string CommandCall::value(std::string_view option) const {
  const auto found = values.find(option);
  return found == values.end() ? "" : found->second.back();
}

std::vector<std::string> CommandCall::list(std::string_view option) const {
  const auto found = values.find(option);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

std::string device_of(const CommandCall& call) { return parse_globals(call.global_words).device.device; }

namespace {

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

// Parses the words from left to right.
class CommandWordReader {
 public:
  CommandWordReader(const CommandRow& verb, const std::vector<std::string>& words) : verb_(verb), words_(words) {}

  CommandCall walk() {
    call_.given = words_;
    for (; next_ < words_.size(); ++next_) {
      const std::string& word = words_[next_];
      if (word == "--") {
        call_.words.insert(call_.words.end(), words_.begin() + long(next_) + 1, words_.end());
        break;
      }
      if (is_option(word) && verb_.argument != Argument::help_topic) option(word);
      else call_.words.push_back(word);
    }
    check_count();
    return std::move(call_);
  }

 private:
  void option(const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    const auto own = std::ranges::find(verb_.options, name, &CommandOption::name);
    if (own != verb_.options.end()) return take(*own, word);
    for (const Global* global : globals_of(verb_))
      if (name == global->short_name || name == fmt::format("--{}", global->name)) return take(*global, word);
    std::vector<std::string> known;
    for (const CommandOption& option : verb_.options) known.emplace_back(option.name);
    for (const Global* global : globals_of(verb_)) known.push_back(fmt::format("--{}", global->name));
    const std::string expected =
        known.empty() ? fmt::format("{} has no options", verb_.name) : fmt::format("it has {}", fmt::join(known, ", "));
    const std::string hint = hint_of_chain(name);
    fail(Exit::usage, "{}: unknown option {}{}; {}", verb_.name, name,
         hint.empty() ? suggestion(name, {known.begin(), known.end()}) : hint, expected);
  }

  // " (write --chain 'blur --radius 3', with quotes)" for --radius, an option of the op that is to be measured. "" for other options.
  std::string hint_of_chain(std::string_view option) const {
    constexpr std::string_view chain_option = "--chain";
    if (std::ranges::find(verb_.options, chain_option, &CommandOption::name) == verb_.options.end()) return "";
    const std::string chain = call_.has(chain_option) ? call_.value(chain_option)
                              : call_.words.empty()   ? ""
                                                      : call_.words.back();
    const Op* op = op_named(chain.substr(chain.rfind(' ') + 1));
    const Param* param = op && option.starts_with("--") ? op->param(option.substr(2)) : nullptr;
    if (!param) return "";
    const std::string& word = words_[next_];
    const size_t equals = word.find('=');
    const bool has_next = next_ + 1 < words_.size() && !words_[next_ + 1].starts_with("--");
    const std::string value = equals != word.npos ? word.substr(equals + 1) : has_next ? words_[next_ + 1] : "...";
    return fmt::format(" (write {} '{} {}{}', with quotes)", chain_option, chain, option,
                       param->kind == ParamKind::flag ? "" : " " + value);
  }

  void take(const CommandOption& option, const std::string& word) {
    std::vector<std::string>& values = call_.values[option.name];
    const std::string value = option.value.empty() ? flag_of(word) : value_of(word, option.value_text());
    const bool is_list = option.value.ends_with("...");
    if (!values.empty() && values.back() != value && !is_list)
      fail(Exit::usage, "{}: {} is given twice, as {} and as {}; give it once", verb_.name, option.name, values.back(),
           value);
    if (!option.choices.empty() && std::ranges::find(option.choices, value) == option.choices.end())
      fail(Exit::usage, "{}: {} {} is not one of {}{}", verb_.name, option.name, value, fmt::join(option.choices, ", "),
           suggestion(value, option.choices));
    values.push_back(value);
    while (is_list && next_ + 1 < words_.size() && !is_option(words_[next_ + 1])) values.push_back(words_[++next_]);
  }

  void take(const Global& global, const std::string& word) {
    const std::string flag = fmt::format("--{}", global.name);
    if (global.value.empty()) flag_of(word);
    call_.global_words.push_back(global.value.empty() ? flag : flag + "=" + value_of(word, global.value_text()));
  }

  std::string flag_of(const std::string& word) const {
    const size_t equals = word.find('=');
    if (equals != word.npos)
      fail(Exit::usage, "{}: {}: {} takes no value; give {} alone", verb_.name, word, word.substr(0, equals),
           word.substr(0, equals));
    return "1";
  }

  // The text after =, else the next word. `expected`: what the option takes, for messages.
  std::string value_of(const std::string& word, std::string_view expected) {
    const size_t equals = word.find('=');
    if (equals == word.npos && next_ + 1 >= words_.size())
      fail(Exit::usage, "{0}: {1} needs a value; expected {1} {2}", verb_.name, word, expected);
    if (equals == word.npos) {
      const std::string& next = words_[next_ + 1];
      const std::string name = next.substr(0, next.find('='));
      if (global_of_option(name) || std::ranges::find(verb_.options, name, &CommandOption::name) != verb_.options.end())
        refuse_option_as_value(word, next, verb_.name);
    }
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
    fail(Exit::usage, "{}: takes {} argument{}, but {} given; expected: gpupost {}", verb_.name, expected,
         expected == "1" ? "" : "s", given_count(count), verb_.usage);
  }

  // "none is", "1 is", "2 are".
  static std::string given_count(size_t count) {
    return count == 0 ? "none is" : fmt::format("{} {}", count, count == 1 ? "is" : "are");
  }

  const CommandRow& verb_;
  const std::vector<std::string>& words_;
  size_t next_ = 0;
  CommandCall call_;
};

}  // namespace

CommandCall parse_verb(const CommandRow& verb, const std::vector<std::string>& words) {
  if (verb.argument == Argument::chain) return {.words = words, .values = {}, .global_words = {}, .given = words};
  return CommandWordReader(verb, words).walk();
}

}  // namespace gpupost
