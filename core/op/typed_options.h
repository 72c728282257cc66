// Words of a command line, sorted by the options that they give. The only code that uses CLI11, which takes long to compile.
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
  std::vector<std::string> values;  // in their order; empty for a flag
};

// For each option what was typed for it. Words that are no option, or lack their value, throw Error(Exit::usage), whose message
// begins with `prefix`.
std::vector<TypedOption> typed_options(const std::vector<OptionNames>& options, const std::vector<std::string>& words,
                                       std::string_view prefix);

}  // namespace gpupost
