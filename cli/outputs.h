// Where results go: names of outputs from names of inputs, before any work.
#pragma once

#include "cli/request.h"

#include <string>
#include <vector>

namespace gpupost {

// One input and where its result goes.
struct Job {
  std::string input;
  std::string output;  // "-": standard output; may hold {level}, one file for each
  const Format* format = nullptr;
  bool is_format_changed = false;  // the input's own format cannot be written or cannot hold the result
  bool is_a_file_a_level = false;
};

// The jobs of a request. Throws Error(Exit::usage) where there is no input, where two results would have one name, or
// where standard input or output is a terminal.
std::vector<Job> jobs_of(const Request& request);

// The job where its result has `level_count` of the `whole_count` levels that a whole chain has: an EXR file holds a whole
// chain or one level, so part of a chain goes to a file a level, unless -o says otherwise, which is Error(Exit::usage).
Job for_levels(Job job, const Globals& globals, int level_count, int whole_count);

// The output with {level} filled in.
std::string level_path(const Job& job, int level);

}  // namespace gpupost
