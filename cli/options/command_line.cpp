#include "cli/options/command_line.h"

#include "cli/options/command_row.h"
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
#include <system_error>

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

// Is it a number, or numbers with commas?
bool is_number_list(std::string_view word) {
  for (size_t end = 0; end != word.npos; word.remove_prefix(end == word.npos ? word.size() : end + 1)) {
    end = word.find(',');
    if (!number_in<double>(word.substr(0, end))) return false;
  }
  return true;
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

  // Other programs write to the second of two files. Throws an error if that is probably meant.
  void check_last_input() const {
    const std::vector<std::string>& inputs = request_.input_words;
    const bool measures =
        std::ranges::any_of(request_.calls, [](const Call& call) { return call.op->makes == Makes::statistics; });
    if (inputs.size() != 2 || !request_.globals.output.empty() || measures) return;
    const auto is_there = [](const std::string& word) {
      return access(word.c_str(), F_OK) == 0 || is_input_pattern(word);
    };
    const Format* format = format_of_extension(inputs.back());
    if (format && format->can_write() && !is_there(inputs.back()) && is_there(inputs.front()))
      fail(Exit::usage, "{0}: does not exist; write -o {0} if it is the output", inputs.back());
  }

  void begin_call(const Op* op) {
    end_call();
    op_ = op;
  }

  // Throws an error if the op has no file, but a word that is not one follows it.
  void check_required_file() const {
    const auto required = std::ranges::find_if(op_->params, [](const Param& param) {
      return param.is_positional && param.kind == ParamKind::text && param.presence == Presence::required;
    });
    if (required == op_->params.end() || !call_words_.empty() || word_after_op_.empty()) return;
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
      if (positional) refuse_name(*positional, name);
      if (op_ && is_number_list(word)) refuse_number(word);
      unknown_option(name);
    }
    const bool takes_value = param ? param->kind != ParamKind::flag : !global->value.empty();
    if (!takes_value && equals != word.npos)
      fail(Exit::usage, "{}: {} takes no value; expected {} alone", word, name, name);
    const std::string flag = fmt::format("--{}", param ? param->name : global->name);
    (param ? call_words_ : global_words_).push_back(takes_value ? flag + "=" + value_of(word, equals) : flag);
  }

  // Is it an option of the program or of the current op?
  bool is_option(std::string_view word) const {
    word = word.substr(0, word.find('='));
    return global_of_option(word) || (op_ && word.starts_with("--") && op_->param(word.substr(2)));
  }

  // The text after =, else the next word.
  std::string value_of(const std::string& word, size_t equals) {
    if (equals == word.npos && next_ + 1 >= words_.size())
      fail(Exit::usage, "{} needs a value; nothing follows it", word);
    if (equals == word.npos && is_option(words_[next_ + 1])) refuse_option_as_value(word, words_[next_ + 1]);
    const std::string value = equals == word.npos ? words_[++next_] : word.substr(equals + 1);
    if (value.empty()) fail(Exit::usage, "{} has an empty value; leave it out, or give it one", word);
    return value;
  }

  // A positional choice is given without its name.
  [[noreturn]] void refuse_name(const Param& param, const std::string& name) const {
    std::vector<std::string> calls;
    for (const std::string_view choice : param.choices) calls.push_back(fmt::format("`{} {}`", op_->name, choice));
    fail(Exit::usage, "{}: {} is not typed before its value; expected {}", op_->name, name, fmt::join(calls, ", "));
  }

  // Ops take numbers only with the name of an option.
  [[noreturn]] void refuse_number(const std::string& word) const {
    const auto number = std::ranges::find_if(op_->params, [](const Param& param) {
      return param.kind == ParamKind::number || param.kind == ParamKind::integer;
    });
    fail(Exit::usage, "{}: {} is not an option{}", op_->name, word,
         number == op_->params.end() ? fmt::format("; `gpupost help {}` lists them", op_->name)
                                     : fmt::format("; expected an option such as `--{} {}`", number->name, word));
  }

  [[noreturn]] void unknown_option(const std::string& name) {
    if (access(name.c_str(), F_OK) == 0)
      fail(Exit::usage, "{} is taken as an option; write ./{} if you mean a file", name, name);
    std::vector<std::string> own, known{"--help"};
    if (op_)
      for (const Param& param : op_->params) own.push_back("--" + std::string(param.name));
    for (const Global& global : all_globals()) known.push_back("--" + std::string(global.name));
    std::vector<std::string> others;  // ops that have it
    for (const Op* op : all_ops())
      if (op != op_ && name.starts_with("--") && op->param(std::string_view(name).substr(2)))
        others.push_back(fmt::format("`{}`", op->name));
    const std::string own_hint = suggestion(name, {own.begin(), own.end()});
    const std::vector<std::string_view> ops = op_names();
    const std::string_view bare = std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
    constexpr size_t most_others = 4;
    const std::string hint =
        std::ranges::find(ops, bare) != ops.end() ? fmt::format(" (did you mean the op `{}`?)", bare)
        : !own_hint.empty()                       ? own_hint
        : !others.empty() && others.size() <= most_others
            ? fmt::format(" (it is an option of {}; write it after that word)", fmt::join(others, ", "))
            : suggestion(name, {known.begin(), known.end()});
    if (op_)
      fail(Exit::usage, "{}: unknown option {}; neither {} nor gpupost has it{}", op_->name, name, op_->name, hint);
    fail(Exit::usage, "unknown option {}{}", name, hint);
  }

  void input(const std::string& word) {
    const bool is_plain = word != "-" && word.find('/') == word.npos && word.find('.') == word.npos;
    const bool is_there = access(word.c_str(), F_OK) == 0 || is_input_pattern(word);
    if (op_ && !is_there && is_number_list(word)) refuse_number(word);
    if (is_plain && !is_there && verb_named(word))
      fail(Exit::usage, "{0} is a verb and must be the first word, before {1}: gpupost {2}", word, words_.front(),
           verb_named(word)->usage);
    if (is_plain && !is_there)
      fail(Exit::usage, "{} is neither an op nor a file{}; `gpupost ops` lists the ops{}",
           word.empty() ? "an empty word" : word, suggestion(word, op_names()),
           op_ ? fmt::format(", `gpupost help {0}` the options of {0}", op_->name) : "");
    request_.input_words.push_back(word);
  }

  const std::vector<std::string>& words_;
  size_t next_ = 0;
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
