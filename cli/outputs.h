// Where results go: names of outputs from names of inputs, before any work.
#pragma once

#include "cli/request.h"

#include <string>
#include <vector>

namespace gpupost {

// One input and where its result goes.
struct Job {
  std::string input;
  std::string output;          // "-": standard output; may hold {level}, one file for each
  const Format* format = nullptr;
  bool is_format_changed = false;  // the input's own format cannot be written or cannot hold the result
  bool is_a_file_a_level = false;
};

// The jobs of a request. Throws Error(Exit::usage) where there is no input, where two results would have one name, or
// where standard input or output is a terminal.
std::vector<Job> jobs_of(const Request& request);

// The output with {level} filled in.
std::string level_path(const Job& job, int level);

}  // namespace gpupost
