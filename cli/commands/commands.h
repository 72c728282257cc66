// All verbs.
#pragma once

#include "cli/options/command_row.h"

#include <string>
#include <vector>

namespace gpupost {

extern const CommandRow devices_verb, doctor_verb, compare_verb, info_verb, tune_verb, ops_verb, shader_verb, help_verb,
    man_verb, version_verb;

struct OptionalLibrary {
  std::string name;
  std::string version;  // "": this build was made without it
  std::string package;  // that a build needs
};
// The libraries that files and color transforms need.
std::vector<OptionalLibrary> libraries_of_build();

// The table of verbs, for use_verbs().
std::span<const CommandRow* const> table_of_verbs();

}  // namespace gpupost
