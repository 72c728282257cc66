#include "cli/text/completion.h"

#include "cli/options/command_row.h"
#include "cli/options/global_options.h"
#include "cli/text/messages.h"
#include "core/base/error.h"
#include "core/op/op.h"
#include "core/ops/registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace gpupost {

namespace {

// --- the scripts ----------------------------------------------------------------------------------------------------

// The line among the candidates that means file names.
constexpr std::string_view files_line = ":files";

constexpr std::pair<std::string_view, std::string_view> scripts[] = {
    {"bash", R"(# gpupost's words in bash: source <(gpupost completion bash)
_gpupost() {
  local line word=${COMP_WORDS[COMP_CWORD]}
  [[ $word == = ]] && word=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null  # where readline has not asked there is nothing to be set
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _gpupost gpupost
)"},
    {"zsh", R"(#compdef gpupost
# gpupost's words in zsh: source <(gpupost completion zsh), behind compinit
_gpupost() {
  local line files=
  local -a found
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1
    else found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done < <("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#found} )) && _describe gpupost found
  if [[ -n $files ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    _files
  fi
}
if [[ ${funcstack[1]} == _gpupost ]]; then _gpupost "$@"  # zsh has loaded it from a folder of completions
else compdef _gpupost gpupost
fi
)"},
    {"fish", R"(# gpupost's words in fish: gpupost completion fish | source
function __gpupost_words
  set -l before (commandline -opc)
  set -l word (commandline -ct)
  for line in ($before[1] completion words -- $before[2..-1] "$word" 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path "$word"
    else
      echo $line
    end
  end
end
complete -c gpupost -f -a '(__gpupost_words)'
)"},
};

// --- what stands where ----------------------------------------------------------------------------------------------

// How to complete the value of an option; a flag has none.
struct Option {
  std::string name;  // "--method", "-o"
  std::string help;
  bool takes_value = false;
  std::vector<std::string_view> choices;
  bool is_a_file = false;
};

bool names_a_file(std::string_view form) { return form.starts_with("FILE"); }

std::vector<Option> options_of(const Op& op) {
  std::vector<Option> options;
  for (const Param& param : op.params)
    if (!param.is_positional)
      options.push_back({.name = param.typed_name(),
                         .help = std::string(param.help),
                         .takes_value = param.kind != ParamKind::flag,
                         .choices = param.choices,
                         .is_a_file = names_a_file(param.form.syntax)});
  return options;
}

void add_global(std::vector<Option>& options, const Global& global) {
  Option option{.name = fmt::format("--{}", global.name),
                .help = global.help_text(),
                .takes_value = !global.value.empty(),
                .choices = global.choices,
                .is_a_file = names_a_file(global.value)};
  options.push_back(option);
  option.name = global.short_name;
  if (!option.name.empty()) options.push_back(option);
}

// Options of the op first, because later options belong to it.
std::vector<Option> options_behind(const Op* op) {
  std::vector<Option> options = op ? options_of(*op) : std::vector<Option>();
  for (const Global& global : all_globals()) add_global(options, global);
  options.push_back({.name = "--help", .help = "Print the help of gpupost, or of the op"});
  return options;
}

std::vector<Option> options_of(const CommandRow& verb) {
  std::vector<Option> options;
  for (const CommandOption& option : verb.options)
    options.push_back({.name = std::string(option.name),
                       .help = std::string(option.help),
                       .takes_value = !option.value.empty(),
                       .choices = option.choices,
                       .is_a_file = names_a_file(option.value)});
  for (const Global* global : globals_of(verb)) add_global(options, *global);
  options.push_back({.name = "--help", .help = "Print the help of the verb"});
  return options;
}

const Option* option_named(std::span<const Option> options, std::string_view name) {
  const auto found = std::ranges::find(options, name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

void add(Candidates& found, std::string_view word, std::string_view help, std::string_view start,
         std::string_view before = "") {
  if (word.starts_with(start)) found.words.push_back({fmt::format("{}{}", before, word), std::string(help)});
}

void add_ops(Candidates& found, std::string_view start, bool (*takes_op)(const Op& op) = nullptr) {
  for (const Op* op : all_ops())
    if (!takes_op || takes_op(*op)) add(found, op->name, op->doc.summary, start);
}

void add_verbs(Candidates& found, std::string_view start) {
  for (const CommandRow* verb : all_verbs()) add(found, verb->name, verb->summary, start);
}

// `before` is the part of the word before the value: "--method=".
void add_values(Candidates& found, const Option& option, std::string_view start, std::string_view before = "") {
  for (const std::string_view choice : option.choices) add(found, choice, option.help, start, before);
  found.has_files = option.is_a_file;
}

// For a word that begins with a dash: options, or the values of the option after =.
void add_options(Candidates& found, std::span<const Option> options, const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == word.npos)
    for (const Option& option : options) add(found, option.name, option.help, word);
  else if (const Option* option = option_named(options, word.substr(0, equals)); option && option->takes_value)
    add_values(found, *option, word.substr(equals + 1), word.substr(0, equals + 1));
}

// Joins words that bash has split. In `--method = au` the last word is the value.
std::vector<std::string> joined(const std::vector<std::string>& words) {
  std::vector<std::string> made;
  for (size_t index = 0; index < words.size(); ++index) {
    const bool is_joint = words[index] == "=" && !made.empty() && made.back().starts_with("-");
    if (!is_joint) made.push_back(words[index]);
    else if (index + 1 == words.size()) made.emplace_back();
    else if (index + 2 < words.size()) made.back() += "=" + words[++index];
  }
  return made;
}

// Position of a word in a chain.
struct Where {
  const Op* op = nullptr;        // op that options belong to
  bool is_behind_op = false;     // directly after the op
  bool is_only_a_file = false;   // after --
  std::optional<Option> option;  // option whose value the word is
};

Where where_behind(std::span<const std::string> words) {
  Where where;
  for (const std::string& word : words) {
    if (std::exchange(where.option, std::nullopt) || where.is_only_a_file) continue;
    const Op* op = op_named(word);
    where.is_only_a_file = word == "--";
    where.is_behind_op = op != nullptr;
    if (op) where.op = op;
    const std::vector<Option> options = options_behind(where.op);
    if (const Option* option = option_named(options, word); option && option->takes_value) where.option = *option;
  }
  return where;
}

Candidates of_chain(std::span<const std::string> before, const std::string& word) {
  Candidates found;
  const Where where = where_behind(before);
  if (where.option) {
    add_values(found, *where.option, word);
  } else if (where.is_only_a_file) {
    found.has_files = true;
  } else if (word.starts_with("-")) {
    add_options(found, options_behind(where.op), word);
  } else {
    if (where.is_behind_op)
      for (const Param& param : where.op->params)
        for (const std::string_view choice : param.choices)
          if (param.is_positional) add(found, choice, param.help, word);
    add_ops(found, word);
    found.has_files = true;
  }
  return found;
}

// The option of a verb whose value follows these words; nullptr if none.
const Option* option_behind(std::span<const Option> options, std::span<const std::string> words) {
  const Option* waiting = nullptr;
  for (const std::string& word : words) {
    const Option* option = waiting ? nullptr : option_named(options, word);
    waiting = option && option->takes_value ? option : nullptr;
  }
  return waiting;
}

void add_arguments(Candidates& found, const CommandRow& verb, std::string_view word) {
  switch (verb.argument) {
    case Argument::file: found.has_files = true; break;
    case Argument::op: add_ops(found, word, verb.takes_op); break;
    case Argument::help_topic: add_ops(found, word), add_verbs(found, word); break;
    case Argument::shell:
      for (const auto& [shell, script] : scripts) add(found, shell, verb.summary, word);
      break;
    case Argument::none:
    case Argument::chain: break;
  }
}

Candidates of_verb(const CommandRow& verb, std::span<const std::string> before, const std::string& word) {
  if (verb.argument == Argument::chain) return of_chain(before, word);
  Candidates found;
  const std::vector<Option> options = options_of(verb);
  if (const Option* option = option_behind(options, before)) add_values(found, *option, word);
  else if (word.starts_with("-")) add_options(found, options, word);
  else add_arguments(found, verb, word);
  return found;
}

}  // namespace

// "" if there is none.
static std::string_view completion_script(std::string_view shell) {
  const auto found = std::ranges::find(scripts, shell, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(scripts) ? std::string_view() : found->second;
}

Candidates candidates_of(const std::vector<std::string>& given) {
  std::vector<std::string> words = joined(given);
  const std::string word = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  const CommandRow* verb = words.empty() ? nullptr : verb_named(words.front());
  if (verb) return of_verb(*verb, std::span(words).subspan(1), word);
  Candidates found = of_chain(words, word);
  if (words.empty()) add_verbs(found, word);
  return found;
}

static Exit run_completion(const CommandCall& call) {
  const std::vector<std::string>& words = call.given;
  if (words.size() > 1 && words[0] == "words" && words[1] == "--") {
    const Candidates found = candidates_of({words.begin() + 2, words.end()});
    for (const Candidate& candidate : found.words) print_out(fmt::format("{}\t{}\n", candidate.word, candidate.help));
    if (found.has_files) print_out(fmt::format("{}\n", files_line));
    return Exit::done;
  }
  if (words.size() != 1)
    fail(Exit::usage, "completion: expected one of bash, zsh, fish: gpupost {}", completion_verb.usage);
  const std::string_view script = completion_script(words[0]);
  if (script.empty()) fail(Exit::usage, "completion: {} is not one of bash, zsh, fish", words[0]);
  print_out(script);
  return Exit::done;
}

const CommandRow completion_verb{
    .name = "completion",
    .summary = "Print the completion script for bash, zsh or fish",
    .usage = "completion SHELL",
    .description =
        "Bash: add `source <(gpupost completion bash)` to ~/.bashrc. Zsh: add `source <(gpupost completion zsh)` to "
        "~/.zshrc, after compinit. Fish: add `gpupost completion fish | source` to ~/.config/fish/config.fish.",
    .argument = Argument::shell,
    .most_words = any_count,  // shell scripts call `completion words -- WORD...`
    .examples = {"completion bash"},
    .run = run_completion,
};

}  // namespace gpupost
