// The environment variables GPUPOST_*: machine settings, and variables for tests.
#pragma once

#include "cli/options/global_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// "GPUPOST_MAX_SIDE" for --max-side.
std::string environment_name(const Global& global);

// The value of a machine setting from the environment; "" if not set, or if the option is not a machine setting.
std::string value_in_environment(const Global& global);

// Adds to an error message which of its options came from an environment variable.
std::string with_origins(std::string message, const std::vector<std::string>& words);

// One warning for each GPUPOST_* variable without effect.
std::vector<std::string> environment_warnings();

// Returns whether the variable is only for tests and diagnosis, like GPUPOST_VALIDATE.
bool is_test_variable(std::string_view name);

}  // namespace gpupost
