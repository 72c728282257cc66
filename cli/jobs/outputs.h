// Where results go: names of outputs from names of inputs, before any work.
#pragma once

#include "cli/options/command_line.h"

#include <string>
#include <vector>

namespace gpupost {

// The path of an output, in which the number of a level may stand at any number of places.
class OutputPath {
 public:
  void add(std::string_view text) { pieces_.back() += text; }
  void add_level() { pieces_.emplace_back(); }
  bool has_level() const { return pieces_.size() > 1; }
  std::string at(int level) const;  // where there is no {level}: the same for each
  std::string shown() const;        // as it is typed, with {level}

 private:
  std::vector<std::string> pieces_{""};  // a level's number stands between each two
};

// What goes to one output, and where that is.
struct Job {
  std::vector<std::string> inputs;  // one, or those that --assemble makes one file of; the first fills patterns
  OutputPath output;                // "-": standard output; with {level}: a file for each
  const Format* format = nullptr;
  bool is_format_changed = false;  // the input's own format cannot be written or cannot hold the result
  bool writes_picture = true;

  bool is_a_file_a_level() const { return output.has_level(); }
  std::string name() const;  // for messages: the input, or the first with the number of the others
};

// The jobs of a request, checked as far as they can be before any work. Throws Error(Exit::usage) where there is no input, or
// not as many as --assemble needs, or a format that cannot hold what it makes,
// where two results may go to one file, levels among them, or over an input of another job, or where standard input or output is a terminal;
// Error(Exit::output) where a folder is missing, or a file is there that --no-clobber protects.
std::vector<Job> jobs_of(const Request& request);

// The job where its result has `level_count` of the `whole_count` levels that a whole chain has: an EXR file holds a whole
// chain or one level, so part of a chain goes to a file a level, unless -o says otherwise, which is Error(Exit::usage).
// KTX2 and DDS files hold any part.
Job split_into_level_files(Job job, const Globals& globals, int level_count, int whole_count);

// Throws Error(Exit::output) where it can be seen of one of the job's files before there is any work that it cannot be written.
void check_can_be_written(const Job& job, int level_count, bool no_clobber);

}  // namespace gpupost
