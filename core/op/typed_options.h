// Splits words of a command line into options. The only code that includes CLI11, which takes long to compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

struct OptionNames {
  std::string names;  // "--levels", "-o,--output", or a positional "axis"
  bool is_flag = false;
};

struct TypedOption {
  bool is_given = false;
  std::vector<std::string> values;  // in order; empty for a flag
};

// Returns the values of each option. Throws Error(Exit::usage), with a message that begins with `prefix`, if a word is
// no option or a value is missing.
std::vector<TypedOption> typed_options(const std::vector<OptionNames>& options, const std::vector<std::string>& words,
                                       std::string_view prefix);

}  // namespace gpupost
