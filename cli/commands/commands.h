// All verbs.
#pragma once

#include "cli/options/command_row.h"

namespace gpupost {

extern const CommandRow devices_verb, doctor_verb, compare_verb, info_verb, tune_verb, ops_verb, shader_verb, help_verb,
    man_verb, version_verb;

// The table of verbs, for use_verbs().
std::span<const CommandRow* const> table_of_verbs();

}  // namespace gpupost
