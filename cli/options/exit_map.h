// Replacement of exit codes, for schedulers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// Parses "7=33,5=34". Throws Error(Exit::usage). Codes must be 1 to 255, so that a failure cannot become a success.
std::map<int, int> parse_exit_map(std::string_view word);

// Maps `code` with the --exit-map of a command line, which may be invalid.
int mapped_exit_code(int code, const std::vector<std::string>& words);

}  // namespace gpupost
