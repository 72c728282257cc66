// Verbs: words that may be first instead of a chain. The parser, help and completion are loops over these records,
// which main registers.
#pragma once

#include "cli/options/global_options.h"
#include "core/base/error.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// One option of a verb.
struct CommandOption {
  std::string_view name;                  // "--tolerance"
  std::string_view value;                 // what help calls the value, "FILE..." for several; "" for a flag
  std::string_view help;                  // what it does, and the default
  std::vector<std::string_view> choices;  // empty: any value

  std::string value_text() const;  // "on|off|both", "FILE", "" for a flag
};

// The kind of arguments of a verb.
enum class Argument { none, file, op, help_topic, shell, chain };

constexpr size_t any_count = size_t(-1);

// The parsed words after a verb.
struct CommandCall {
  std::vector<std::string> words;                               // arguments that are not options
  std::map<std::string_view, std::vector<std::string>> values;  // by the names of options; a flag's is "1"
  std::vector<std::string> global_words;                        // "--part=1"
  std::vector<std::string> given;                               // all words as given

  bool has(std::string_view option) const { return values.contains(option); }
  std::string value(std::string_view option) const;  // "" where it is not given
  std::vector<std::string> list(std::string_view option) const;
};

struct CommandRow {
  std::string_view name;
  std::string_view summary;      // one line
  std::string_view usage;        // "compare A B [--tolerance T]"
  std::string_view description;  // what it prints, how it ends; "" where the summary says all
  Argument argument = Argument::none;
  bool (*takes_op)(const Op& op) = nullptr;  // selects the ops of Argument::op; nullptr: all
  size_t least_words = 0, most_words = 0;
  std::vector<CommandOption> options;
  bool (*takes_global)(const Global& global) = nullptr;  // selects the global options that it also takes; nullptr: none
  std::vector<std::string_view> examples;                // behind "gpupost "
  Exit (*run)(const CommandCall& call) = nullptr;
};

// All verbs, in the order of the help. Empty until use_verbs() registers them; they must outlive all use.
void use_verbs(std::span<const CommandRow* const> verbs);
std::span<const CommandRow* const> all_verbs();
const CommandRow* verb_named(std::string_view name);  // nullptr if there is none
std::vector<const Global*> globals_of(const CommandRow& verb);

// Parses the words of a verb. Throws Error(Exit::usage) for unknown words. A chain is not parsed.
CommandCall parse_verb(const CommandRow& verb, const std::vector<std::string>& words);

// The value of --device, else of GPUPOST_DEVICE; "" if neither is given.
std::string device_of(const CommandCall& call);

}  // namespace gpupost
