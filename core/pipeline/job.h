// A job of a run: its inputs and its output files.
#pragma once

#include "core/base/error.h"
#include "core/codec/codec.h"
#include "core/op/op.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// The path of an output. It may contain {level} several times.
class OutputPath {
 public:
  OutputPath() = default;
  explicit OutputPath(std::string_view text) { add(text); }
  void add(std::string_view text) { pieces_.back() += text; }
  void add_level() { pieces_.emplace_back(); }
  bool has_level() const { return pieces_.size() > 1; }
  std::string at(int level) const;  // without {level}: the same path for each level
  std::string shown() const;        // with {level}, for messages

 private:
  std::vector<std::string> pieces_{""};  // text between the places of {level}
};

// A call with options for one image, for example its own exposure.
struct CallOfJob {
  size_t index = 0;  // of the call of the request that it replaces
  Call call;
};

// An input that could not be measured, and its error.
struct UnmeasuredInput {
  std::string path;
  Exit exit = Exit::done;
  std::string error;
};

// The inputs and the output of a job.
struct Job {
  std::vector<std::string> inputs;  // one input, or all inputs of one file (--assemble, sheet)
  // Frame number of each input, as in its name; "" for one that is in no sequence. Empty: no input is in a sequence.
  std::vector<std::string> frames;
  OutputPath output;  // "-": standard output; with {level}: a file for each
  const Format* format = nullptr;
  bool is_output_named = false;  // the user gave the name, so it must not change
  // The format differs from the input's, which cannot be written or cannot hold the result.
  bool is_format_changed = false;
  bool writes_picture = true;
  std::vector<CallOfJob> calls;  // calls that replace those of the request
  // The input, or another one that a call of this job depends on. The job fails because of it. Empty: all such inputs were measured.
  std::optional<UnmeasuredInput> unmeasured = {};

  std::string frame_of(size_t input) const { return input < frames.size() ? frames[input] : ""; }
  bool is_a_file_a_level() const { return output.has_level(); }
  std::string name() const;  // for messages: the input, or the first input and the number of others
};

// A file that a call reads besides the inputs.
struct ReadFile {
  std::string path;  // as given; each {frame} is replaced if a frame number was given
  std::string_view what;
  bool is_of_frame = false;  // the path had {frame}: each frame has its own file
};

// All files that calls read besides the inputs. The journal and dependency files depend on this list. Without a frame number,
// {frame} stays in the paths. With a job, the files are those for all of its inputs.
std::vector<ReadFile> files_of_calls(std::span<const Call> calls);
std::vector<ReadFile> files_of_calls(std::span<const Call> calls, std::string_view frame);
std::vector<ReadFile> files_of_calls(std::span<const Call> calls, const Job& job);

// Replaces each {frame} of a path by the frame number. Throws Error(Exit::usage) if there is none.
std::string fill_frame(std::string path, std::string_view frame);

// The default output with one file per level: in.mips.{level}.exr.
OutputPath default_level_output(const Job& job);

// Adapts the job to a result with `level_count` of `whole_count` levels; `whole_count` is 1 for a row of faces. EXR holds all
// levels or one, so other counts go to one file per level; if the user named the output, that is Error(Exit::usage). KTX2 and DDS
// hold any number.
Job split_into_level_files(Job job, int level_count, int whole_count);

// Throws Error(Exit::output) early if an output file clearly cannot be written.
void check_can_be_written(const Job& job, int level_count, bool no_clobber);

}  // namespace gpupost
