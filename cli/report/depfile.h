// Dependency files for make and ninja.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace gpupost {

struct DepfileRule {
  std::vector<std::string> outputs, inputs;
};

// Returns the first name that make reads and ninja does not; "" if there is none.
std::string name_for_make_alone(std::span<const DepfileRule> rules);

// A line "OUTPUT...: INPUT..." for each rule with an output, escaped for make and ninja. Then an empty rule "INPUT:" for each
// input that is no output, so that make goes on if that file no longer exists. Leaves out standard input, standard output and
// other descriptors, which are no files for make, and inputs that the rule replaces. Throws Error(Exit::usage) if make or ninja cannot read a name.
std::string depfile_text(std::span<const DepfileRule> rules);

}  // namespace gpupost
