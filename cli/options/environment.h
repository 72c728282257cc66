// The variables GPUPOST_*: settings of the machine, which are options too, and the names that tests use.
#pragma once

#include "cli/options/global_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// "GPUPOST_MAX_SIDE" for --max-side.
std::string environment_name(const Global& global);

// The value of a machine setting, "" where it is not set. Other options have none.
std::string value_in_environment(const Global& global);

// The message of an error, with the variable of each option that it names where the value is not in these words.
std::string with_origins(std::string message, const std::vector<std::string>& words);

// One warning for each variable GPUPOST_* that has no effect.
std::vector<std::string> environment_warnings();

// Is the name one that only tests and diagnoses use, like GPUPOST_VALIDATE?
bool is_test_variable(std::string_view name);

}  // namespace gpupost
