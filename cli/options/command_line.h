// What was typed, and what it means: the words of a command line as inputs, calls and globals.
#pragma once

#include "cli/options/global_options.h"
#include "core/op/parse.h"

#include <string>
#include <vector>

namespace gpupost {

// Not copied: a batch has as many inputs and words as files.
struct Request {
  Request() = default;
  Request(Request&&) = default;
  Request& operator=(Request&&) = default;

  std::vector<std::string> inputs;  // "-": standard input
  std::vector<Call> calls;
  Globals globals;
  std::vector<std::string> words;  // as they were typed
  std::string result_options;      // the global options that change results, as --name=value
};

// Words without the program's name. Only records and checks; opens nothing but the files of ops that users have written.
// Throws Error(Exit::usage), of such a file Error(Exit::input).
Request parse_request(const std::vector<std::string>& words);

// The names of all ops, for near misses.
std::vector<std::string_view> op_names();

}  // namespace gpupost
