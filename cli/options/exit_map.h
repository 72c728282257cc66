// Exit codes that a scheduler wants in the place of gpupost's own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// "7=33,5=34". Throws Error(Exit::usage): codes are 1 to 255, so that no failure becomes a success.
std::map<int, int> parse_exit_map(std::string_view word);

// What `code` becomes by --exit-map in the words of a command line, which may be wrong in any way.
int mapped_exit_code(int code, const std::vector<std::string>& words);

}  // namespace gpupost
