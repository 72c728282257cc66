#include "cli/options/command_line.h"

#include "cli/options/command_row.h"
#include "cli/options/other_programs.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/codec/codec.h"
#include "core/ops/registry.h"
#include "core/system/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

namespace gpupost {

std::vector<std::string_view> op_names() {
  std::vector<std::string_view> names;
  for (const Op* op : all_ops()) names.push_back(op->name);
  return names;
}

namespace {

// Reads a regular file. Throws Error(Exit::input), or Error(Exit::limit) without descriptors or memory.
std::string source_of(const std::string& path, size_t most_bytes) {
  // non-blocking, because a pipe of that name would block
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0)
    fail(is_out_of_resources(errno) ? Exit::limit : Exit::input, "{}: cannot be opened: {}", path,
         std::generic_category().message(errno));
  struct stat facts = {};
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) fail(Exit::input, "{}: is not a regular file", path);
  if (size_t(facts.st_size) > most_bytes)
    fail(Exit::input, "{}: has {} bytes; the limit is {}", path, facts.st_size, most_bytes);
  return read_text(file.get(), path, most_bytes);
}

// Global options that do not change results, besides machine settings.
constexpr std::string_view options_beside_results[] = {
    "output",       "report", "timing",  "explain",  "quiet",         "verify",  "no-clobber", "keep-going",
    "fail-fast",    "resume", "journal", "progress", "progress-file", "list",    "recursive",  "frames",
    "skip-missing", "shard",  "shards",  "depfile",  "mkdir",         "exit-map"};

// Sorted, so that the order of words does not matter. Unknown options are assumed to change results.
std::string result_options(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) {
    const std::string_view name = std::string_view(word).substr(2, word.find('=') - 2);
    const Global* global = global_named(name);
    return (global && global->is_of_machine) ||
           std::ranges::find(options_beside_results, name) != std::end(options_beside_results);
  });
  std::ranges::sort(words);
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return text;
}

// Can it only be the value of an option: a number, several with commas, 50% or 640x480?
bool is_value(std::string_view word) { return list_of_numbers(without_plus(word)) || percentage(word) || sides(word); }

// Does this option of an op take the value? Options that take any text do not count.
bool accepts(const Param& param, const std::string& value) {
  const std::optional<double> number = number_in<double>(without_plus(value));
  switch (param.kind) {
    case ParamKind::flag: return false;
    case ParamKind::choice: return std::ranges::find(param.choices, value) != param.choices.end();
    case ParamKind::text: return param.form.matches(value) && !param.form.matches("?");
    case ParamKind::integer:
    case ParamKind::number:
      return number && *number >= param.min && *number <= param.max &&
             (param.kind == ParamKind::number || *number == std::floor(*number));
  }
  return false;
}

// The choice of a positional option that means the value; "" if none does. -90 degrees are 270.
std::string choice_for(const Op& op, const std::string& value) {
  const std::optional<int> number = number_in<int>(without_plus(value));
  for (const Param& param : op.params) {
    const bool is_angle = number && param.name == "angle";
    const std::string meant = is_angle ? fmt::format("{}", (*number % 360 + 360) % 360) : value;
    if (param.is_positional && std::ranges::find(param.choices, meant) != param.choices.end()) return meant;
  }
  return "";
}

// Walks through the words from left to right and assigns each to an op or to the global options.
class CommandLineParser {
 public:
  explicit CommandLineParser(const std::vector<std::string>& words) : words_(words) {}

  Request walk() {
    for (; next_ < words_.size(); ++next_) {
      const std::string& word = words_[next_];
      if (word == "--") {
        request_.input_words.insert(request_.input_words.end(), words_.begin() + long(next_) + 1, words_.end());
        break;
      }
      if (word.size() > 1 && word[0] == '-') option(word);
      else if (is_own_word(word)) call_words_.push_back(word);
      else if (const Op* op = op_named(word)) begin_call(op);
      else {
        if (op_ && word_after_op_.empty()) word_after_op_ = word;
        input(word);
      }
    }
    end_call();
    request_.globals = parse_globals(global_words_);
    request_.words = words_;
    check_last_input();
    request_.result_options = result_options(global_words_);
    check_chain(request_.calls);
    check_apply_to_has_effect();
    request_.global_words = std::move(global_words_);
    return std::move(request_);
  }

 private:
  void check_apply_to_has_effect() const {
    const ApplyTo& apply_to = request_.globals.passes.apply_to;
    const bool is_default = !apply_to.is_all && apply_to.names.empty();
    if (is_default || std::ranges::any_of(request_.calls, [](const Call& call) { return takes_apply_to(*call.op); }))
      return;
    static constexpr std::string_view option = "--apply-to=";
    const auto typed = std::ranges::find_if(global_words_.rbegin(), global_words_.rend(),
                                            [](const std::string& word) { return word.starts_with(option); });
    fail(Exit::usage,
         "--apply-to {} has no effect, because no op of the chain takes it; expected one of {}, or no "
         "--apply-to",
         typed->substr(option.size()), names_with_apply_to());
  }

  // Other programs write to the last of several files. If that is probably meant, throws an error for a missing file, and sets
  // likely_output for an existing one.
  void check_last_input() {
    const std::vector<std::string>& inputs = request_.input_words;
    const bool measures =
        std::ranges::any_of(request_.calls, [](const Call& call) { return call.op->makes == Makes::statistics; });
    const bool takes_several =
        std::ranges::any_of(request_.calls, [](const Call& call) { return call.op->makes == Makes::cell; });
    if (inputs.size() != 2 || !request_.globals.output.empty() || measures) return;
    const auto is_file = [](const std::string& word) { return access(word.c_str(), F_OK) == 0; };
    const auto is_there = [&](const std::string& word) { return is_file(word) || is_input_pattern(word); };
    const Format* format = format_of_extension(inputs.back());
    if (!format || !format->can_write()) return;
    // a shell puts all files of a glob on one side of the ops
    const bool are_on_both_sides = input_count_before_ops_ == 1;
    const bool is_last_word = last_input_at_ + 1 == words_.size();
    const bool is_one_file = !is_input_pattern(inputs.front()) && !is_folder(inputs.front());
    if (is_file(inputs.back()) && is_last_word && is_one_file && !takes_several &&
        (request_.calls.empty() || are_on_both_sides))
      request_.likely_output = inputs.back();
    if (!is_there(inputs.back()) && (inputs.front() == "-" || is_there(inputs.front())))
      fail(Exit::usage, "{0}: does not exist; write -o {0} if it is the output", inputs.back());
  }

  void begin_call(const Op* op) {
    if (!op_ && request_.calls.empty()) input_count_before_ops_ = request_.input_words.size();
    end_call();
    op_ = op;
  }

  // Throws an error if the op has no file, but another word follows it.
  void check_required_file() const {
    const auto required = std::ranges::find_if(op_->params, [](const Param& param) {
      return param.is_positional && param.kind == ParamKind::text && param.presence == Presence::required;
    });
    if (required == op_->params.end() || word_after_op_.empty() || is_given(*required)) return;
    if (required->form.matches(word_after_op_)) {
      std::string call = fmt::format("{} {}", op_->name, word_after_op_);
      for (const std::string& word : call_words_) {
        const size_t equals = word.find('=');
        call += " " + word.substr(0, equals) + (equals == word.npos ? "" : " " + word.substr(equals + 1));
      }
      fail(Exit::usage, "{}: the {} comes before the options; write it first: `{}`", op_->name, required->name, call);
    }
    const size_t dot = word_after_op_.rfind('.');
    if (const std::string advice = dot == word_after_op_.npos ? "" : advice_for(word_after_op_.substr(dot));
        !advice.empty())
      fail(Exit::usage, "{}: {} is not a {}{}", op_->name, word_after_op_, required->form.syntax, advice);
    fail(Exit::usage, "{}: {} is missing; expected {} ({} is taken as an input)", op_->name, required->name,
         required->form.syntax, word_after_op_);
  }

  void end_call() {
    if (op_) check_required_file();
    if (op_) request_.calls.push_back(parse_call(*op_, call_words_));
    if (op_) prepare(request_.calls.back());
    op_ = nullptr;
    call_words_.clear();
    word_after_op_.clear();
  }

  static void prepare(Call& call) {
    const Needs needs = call.op->needs(call);
    if (!needs.file.empty()) call.source = source_of(call.word(needs.file), needs.most_file_bytes);
    if (call.op->prepare) call.op->prepare(call);
  }

  // Whether it is the positional option of the previous op: the x of `flip x`.
  bool is_own_word(const std::string& word) const {
    if (!op_ || !call_words_.empty()) return false;
    return std::ranges::any_of(op_->params, [&](const Param& param) {
      if (!param.is_positional) return false;
      return param.form.matches ? param.form.matches(word)
                                : std::ranges::find(param.choices, word) != param.choices.end();
    });
  }

  // Whether an option of the current op is given.
  bool is_given(const Param& param) const {
    return std::ranges::any_of(call_words_, [&](const std::string& word) {
      return word.starts_with(fmt::format("--{}=", param.name)) || (param.is_positional && !word.starts_with("--"));
    });
  }

  // The positional choice of the previous op, if it can still be given; else nullptr.
  const Param* open_choice() const {
    if (!op_ || !call_words_.empty()) return nullptr;
    const auto found = std::ranges::find_if(
        op_->params, [](const Param& param) { return param.is_positional && !param.choices.empty(); });
    return found == op_->params.end() ? nullptr : &*found;
  }

  // An option belongs to the previous call if that op has it, else to the global options. It is passed as
  // `--name=value`, so that a value that begins with a dash is not taken as an option.
  void option(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Param* param = op_ && name.starts_with("--") ? op_->param(std::string_view(name).substr(2)) : nullptr;
    const Param* positional = param && param->is_positional && param->kind != ParamKind::text ? param : nullptr;
    if (positional) param = nullptr;
    const Global* global = global_of_option(name);
    if (!param && !global) {
      if (positional) refuse_name(*positional, word);
      if (op_ && list_of_numbers(word)) refuse_value(word);
      unknown_option(name);
    }
    if (!param && op_ && global->name == "size") check_size(word);
    const bool takes_value = param ? param->kind != ParamKind::flag : !global->value.empty();
    if (!takes_value && equals != word.npos)
      fail(Exit::usage, "{}: {} takes no value; expected {} alone", word, name, name);
    const std::string flag = fmt::format("--{}", param ? param->name : global->name);
    const std::string expected = takes_value ? param ? param->value_text() : global->value_text() : "";
    (param ? call_words_ : global_words_).push_back(takes_value ? flag + "=" + value_of(word, equals, expected) : flag);
  }

  // The global --size takes two sides. One number behind an op that has a radius is meant for that op.
  void check_size(const std::string& word) const {
    const size_t equals = word.find('=');
    const std::string value = equals != word.npos         ? word.substr(equals + 1)
                              : next_ + 1 < words_.size() ? words_[next_ + 1]
                                                          : "";
    const Param* radius = op_->param("radius");
    if (radius && number_in<double>(without_plus(value)))
      fail(Exit::usage,
           "{}: --size {} is not WxH, the image size for --explain and `shader`; {} takes --radius {} instead",
           op_->name, value, op_->name, radius->value_text());
  }

  // Is it an option of the program or of the current op?
  bool is_option(std::string_view word) const {
    word = word.substr(0, word.find('='));
    return global_of_option(word) || (op_ && word.starts_with("--") && op_->param(word.substr(2)));
  }

  // The text after =, else the next word. `expected`: what the option takes, for messages.
  std::string value_of(const std::string& word, size_t equals, std::string_view expected) {
    if (equals == word.npos && next_ + 1 >= words_.size())
      fail(Exit::usage, "{0} needs a value; expected {0} {1}", word, expected);
    if (equals == word.npos && is_option(words_[next_ + 1])) refuse_option_as_value(word, words_[next_ + 1], "");
    const std::string value = equals == word.npos ? words_[++next_] : word.substr(equals + 1);
    if (value.empty()) fail(Exit::usage, "{} has an empty value; leave it out, or give it one", word);
    return value;
  }

  // "`flip x`, `flip y`" for a positional choice.
  std::string calls_with(const Param& param) const {
    std::vector<std::string> calls;
    for (const std::string_view choice : param.choices) calls.push_back(fmt::format("`{} {}`", op_->name, choice));
    return fmt::format("{}", fmt::join(calls, ", "));
  }

  // A positional choice is given without its name.
  [[noreturn]] void refuse_name(const Param& param, const std::string& word) const {
    const size_t equals = word.find('=');
    const std::string value = equals != word.npos         ? word.substr(equals + 1)
                              : next_ + 1 < words_.size() ? words_[next_ + 1]
                                                          : "";
    const std::string choice = choice_for(*op_, value), other = option_for(*op_, value);
    if (choice.empty() && !other.empty())
      fail(Exit::usage, "{0}: there is no --{1}; write `{0} {2}`", op_->name, param.name, other);
    fail(Exit::usage, "{}: write the {} without its name: {}", op_->name, param.name,
         choice.empty() ? calls_with(param) : fmt::format("`{} {}`", op_->name, choice));
  }

  // "--sigma 1.5" with the first option of the op that takes the value and is not given; "" if none does.
  std::string option_for(const Op& op, const std::string& value) const {
    for (const Param& param : op.params)
      if (!param.is_positional && !param.is_for_measuring && !(&op == op_ && is_given(param)) && accepts(param, value))
        return fmt::format("--{} {}", param.name, value);
    return "";
  }

  // "--set amount=0.5" for --amount 0.5, if the op has an option for such settings; "" if it has none.
  std::string setting_for(std::string_view name) const {
    if (!op_ || next_ + 1 >= words_.size()) return "";
    const std::string setting = fmt::format("{}={}", name, words_[next_ + 1]);
    for (const Param& param : op_->params)
      if (param.form.is_repeated && param.form.matches(setting)) return fmt::format("--{} {}", param.name, setting);
    return "";
  }

  // "rotate 90" or "resize --size 50%", for an op and a value; "" if no option of the op takes it.
  std::string call_for(const Op& op, const std::string& value) const {
    const bool can_choose = &op != op_ || open_choice();
    std::string own = can_choose ? choice_for(op, value) : "";
    if (own.empty()) own = option_for(op, value);
    return own.empty() ? "" : fmt::format("{} {}", op.name, own);
  }

  // " (did you mean `resize --size 50%`?)" for -resize 50%, or -resize alone.
  std::string hint_of_op(const Op& op) const {
    const std::string call = next_ + 1 < words_.size() ? call_for(op, words_[next_ + 1]) : "";
    return call.empty() ? fmt::format(" (did you mean the op `{}`?)", op.name)
                        : fmt::format(" (did you mean `{}`?)", call);
  }

  // Ops take values only with the name of an option.
  [[noreturn]] void refuse_value(const std::string& word) const {
    std::string option = option_for(*op_, word);
    if (option.empty()) option = option_for(*op_, word + "+0+0");  // 640x480 of a window
    const std::string choice = choice_for(*op_, word);
    if (!choice.empty() && !open_choice())
      fail(Exit::usage, "{}: {} and {} exclude each other; leave one out", op_->name, word,
           call_words_.front().substr(0, call_words_.front().find('=')));
    if (!choice.empty())
      fail(Exit::usage, "{}: {} is not an option; expected `{} {}`", op_->name, word, op_->name, choice);
    fail(Exit::usage, "{}: {} is not an option; {}", op_->name, word,
         option.empty() ? fmt::format("`gpupost help {}` lists them", op_->name)
                        : fmt::format("expected an option such as `{}`", option));
  }

  [[noreturn]] void unknown_option(const std::string& name) {
    if (access(name.c_str(), F_OK) == 0)
      fail(Exit::usage, "{} is taken as an option; write ./{} if you mean a file", name, name);
    std::vector<std::string> own, known{"--help"};
    if (op_)
      for (const Param& param : op_->params) own.push_back("--" + std::string(param.name));
    for (const Global& global : all_globals()) known.push_back("--" + std::string(global.name));
    const std::string own_hint = suggestion(name, {own.begin(), own.end()});
    const std::string_view bare = std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
    const std::string own_choice = open_choice() ? choice_for(*op_, std::string(bare)) : "";
    const std::string own_value = !own_choice.empty() ? fmt::format("{} {}", op_->name, own_choice)
                                  : op_               ? option_for(*op_, std::string(bare))
                                                      : "";
    const std::string known_hint = suggestion(name, {known.begin(), known.end()}), setting = setting_for(bare);
    const auto [owners, are_in_chain] = owners_of(name);
    const std::string advice = advice_for(name);
    const Op* op = op_named(bare.substr(0, bare.find(':')));  // oiiotool has options like --resize:filter=box
    const CommandRow* verb = verb_named(bare);
    const std::string hint = are_in_chain              ? owners
                             : op                      ? hint_of_op(*op)
                             : !own_value.empty()      ? fmt::format(" (did you mean `{}`?)", own_value)
                             : !own_hint.empty()       ? own_hint
                             : !advice.empty()         ? advice
                             : !op_ && !owners.empty() ? owners
                             : verb ? fmt::format(" (did you mean the verb `gpupost {}`?)", verb->name)
                             : !known_hint.empty() || setting.empty() ? known_hint
                                                                      : fmt::format(" (did you mean `{}`?)", setting);
    if (op_)
      fail(Exit::usage, "{}: unknown option {}; neither {} nor gpupost has it{}{}", op_->name, name, op_->name, hint,
           hint.empty() || hint == owners ? own_options() : "");
    fail(Exit::usage, "unknown option {}{}", name, hint.empty() ? "; `gpupost --help` lists all" : hint);
  }

  // "; gain has --value, --red, --green, --blue", or where to read about many options.
  std::string own_options() const {
    constexpr size_t most = 6;
    if (op_->params.size() > most) return fmt::format("; `gpupost help {}` lists its options", op_->name);
    std::vector<std::string> options;
    for (const Param& param : op_->params)
      options.push_back(param.is_positional && param.kind == ParamKind::choice
                            ? fmt::format("{}", fmt::join(param.choices, ", "))
                            : fmt::format("--{}", param.name));
    return options.empty() ? fmt::format("; {} has no options", op_->name)
                           : fmt::format("; {} has {}", op_->name, fmt::join(options, ", "));
  }

  // Names the other ops that have the option: those of the command line, else all, or some of many.
  struct Owners {
    std::string hint;  // "" if no op has it
    bool are_in_chain = false;
  };
  Owners owners_of(const std::string& option) const {
    std::vector<std::string> owners, in_chain;
    for (const Op* op : all_ops()) {
      if (op == op_ || !option.starts_with("--") || !op->param(std::string_view(option).substr(2))) continue;
      owners.push_back(fmt::format("`{}`", op->name));
      if (std::ranges::find(words_, op->name) != words_.end()) in_chain.push_back(owners.back());
    }
    const bool are_in_chain = !in_chain.empty();
    if (are_in_chain) owners = std::move(in_chain);
    constexpr size_t most = 4;
    const bool are_many = owners.size() > most;
    if (are_many) owners.resize(most);
    if (owners.empty()) return {};
    return {.hint = fmt::format(" (it is an option of {}{}; write it after {})", are_many ? "ops such as " : "",
                                fmt::join(owners, ", "),
                                are_many             ? "its op"
                                : owners.size() == 1 ? "that word"
                                                     : "one of these words"),
            .are_in_chain = are_in_chain};
  }

  // Throws the error of a word that is neither an op nor a file.
  [[noreturn]] void refuse_word(const std::string& word) {
    if (verb_named(word))
      fail(Exit::usage, "{0} is a verb and must be the first word, before {1}: gpupost {2}", word, words_.front(),
           verb_named(word)->usage);
    const std::string shown = word.empty() ? "an empty word" : word;
    const size_t end = word.find_first_of("=:");  // resize=50%, radius=3
    const std::string name = word.substr(0, end), value = end == word.npos ? "" : word.substr(end + 1);
    if (op_ && !value.empty() && op_->param(name))
      fail(Exit::usage, "{}: {} is not an option; expected `--{} {}`", op_->name, word, name, value);
    if (const Op* op = value.empty() ? nullptr : op_named(name)) {
      begin_call(op);
      refuse_value(value);
    }
    if (const std::string option = op_ ? option_for(*op_, word) : ""; !option.empty()) refuse_value(word);
    const std::string advice = advice_for(word);
    std::vector<std::string_view> known = op_names();
    for (const CommandRow* verb : all_verbs()) known.push_back(verb->name);
    const std::string hint = advice.empty() ? suggestion(word, known) : advice;
    if (const Param* param = open_choice())
      fail(Exit::usage, "{}: {} is not one of {}, and neither an op nor a file{}; expected {}", op_->name, shown,
           fmt::join(param->choices, ", "), hint, calls_with(*param));
    fail(Exit::usage, "{} is neither an op nor a file{}; `gpupost ops` lists the ops{}", shown, hint,
         op_ ? fmt::format(", `gpupost help {0}` the options of {0}", op_->name) : "");
  }

  void input(const std::string& word) {
    const bool is_plain = word != "-" && word.find('/') == word.npos && word.find('.') == word.npos;
    const bool is_there = access(word.c_str(), F_OK) == 0 || is_input_pattern(word);
    if (op_ && !is_there && is_value(word)) refuse_value(word);
    if (is_plain && !is_there) refuse_word(word);
    request_.input_words.push_back(word);
    last_input_at_ = next_;
  }

  const std::vector<std::string>& words_;
  size_t next_ = 0;
  size_t input_count_before_ops_ = 0;
  size_t last_input_at_ = 0;  // the last word that is an input, but for those after --
  const Op* op_ = nullptr;
  std::vector<std::string> call_words_;
  std::string word_after_op_;  // the first word after op_ that is neither its option nor another op; "": none
  std::vector<std::string> global_words_;
  Request request_;
};

}  // namespace

void check_globals_have_effect(const Request& request, bool (*has_effect)(const Global& global),
                               std::string_view reason) {
  for (std::string word : request.global_words) {
    const size_t equals = word.find('=');
    if (has_effect(*global_named(std::string_view(word).substr(2, equals - 2)))) continue;
    if (equals != word.npos) word[equals] = ' ';
    fail(Exit::usage, "{} has no effect {}", word, reason);
  }
}

Request parse_request(const std::vector<std::string>& words) { return CommandLineParser(words).walk(); }

}  // namespace gpupost
