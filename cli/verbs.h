// The words that may stand first instead of a chain.
#pragma once

#include "core/error.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct Verb {
  std::string_view name;
  std::string_view usage;  // with its arguments
  std::string_view help;
  Exit (*run)(const std::vector<std::string>& words);  // the words behind it
};

std::span<const Verb> all_verbs();
const Verb* verb_named(std::string_view name);  // nullptr: there is none

Exit run_devices(const std::vector<std::string>& words);
Exit run_doctor(const std::vector<std::string>& words);
Exit run_compare(const std::vector<std::string>& words);
Exit run_info(const std::vector<std::string>& words);
Exit run_bench(const std::vector<std::string>& words);
Exit run_tune(const std::vector<std::string>& words);
Exit run_ops(const std::vector<std::string>& words);
Exit run_completion(const std::vector<std::string>& words);
Exit run_shader(const std::vector<std::string>& words);
Exit run_help(const std::vector<std::string>& words);
Exit run_version(const std::vector<std::string>& words);

// Text on standard output; a reader that has gone away is no error.
void print_out(std::string_view text);

// Takes `flag` out of `words`; was it there?
bool take_flag(std::vector<std::string>& words, std::string_view flag);
// Takes `--name VALUE` or `--name=VALUE` out of `words`, the last of several.
std::optional<std::string> take_value(std::vector<std::string>& words, std::string_view name);
// Refuses options, and fewer words than `least` or more than `most`.
void expect_words(std::string_view verb, const std::vector<std::string>& words, size_t least, size_t most);

}  // namespace gpupost
