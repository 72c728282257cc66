// One output of a run: what goes into it, and where it is written.
#pragma once

#include "core/codec/codec.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The path of an output, in which the number of a level may stand at any number of places.
class OutputPath {
 public:
  OutputPath() = default;
  explicit OutputPath(std::string_view text) { add(text); }
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
  std::vector<std::string> inputs;  // one, or those that make one file together
  OutputPath output;                // "-": standard output; with {level}: a file for each
  const Format* format = nullptr;
  bool is_output_named = false;    // by the user: its name does not change
  bool is_format_changed = false;  // the input's own format cannot be written or cannot hold the result
  bool writes_picture = true;

  bool is_a_file_a_level() const { return output.has_level(); }
  std::string name() const;  // for messages: the input, or the first with the number of the others
};

// The default output where each level goes to a file of its own: in.mips.{level}.exr.
OutputPath default_level_output(const Job& job);

// The job where its result has `level_count` of the `whole_count` levels that a whole chain has: an EXR file holds a whole
// chain or one level, so part of a chain goes to a file a level, unless the output is named, which is Error(Exit::usage).
// KTX2 and DDS files hold any part.
Job split_into_level_files(Job job, int level_count, int whole_count);

// Throws Error(Exit::output) where it can be seen of one of the job's files before there is any work that it cannot be written.
void check_can_be_written(const Job& job, int level_count, bool no_clobber);

}  // namespace gpupost
