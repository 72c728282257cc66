// Chooses the formats and names of outputs.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/job.h"

#include <optional>
#include <span>
#include <string>

namespace gpupost {

// Returns whether --no-clobber keeps the file. It does not keep pipes and devices.
bool output_is_there(const std::string& path);

inline constexpr Size largest_image{1 << 20, 1 << 20};  // largest value of --max-side

// Throws Error(Exit::usage) if a global option has no effect, because the chain is empty or the run writes no image.
void check_options_have_effect(const Request& request);

// The largest number of levels that the chain makes of an image.
int most_levels_of(std::span<const Call> calls);

// The default output with one file per level, if the job may write these files instead of one file. The number of levels of the
// input decides, which is known only after reading it.
std::optional<OutputPath> possible_level_output(const Request& request, const Job& job);

// Makes the folder of an output with --mkdir, and checks that the file can be written. "": there is no file. Throws
// Error(Exit::output).
void prepare_output(const OutputSettings& settings, const std::string& path, bool no_clobber = false);

// Writes a file of --output. If another program has written it meanwhile and --no-clobber keeps it, prints a note.
// Returns whether it was written. Throws Error(Exit::output).
bool write_or_keep(const Globals& globals, std::string_view text);

// The folder of an input, for a place below another folder: relative, and without `..`.
std::string folder_below(const std::string& input);

// The file to which `stats` at the end of the chain writes its lines: that of -o if its extension is .json. "": none.
std::string statistics_file_of(const Request& request);

// Throws Error(Exit::usage) if a file of -o, which is one for all inputs, has a place for a frame number or another placeholder.
// `reason`: why there is one file, for the message.
void check_has_no_placeholder(const std::string& path, std::string_view reason);

// The option or op that makes one file of all inputs: "--assemble cube", "sheet"; "" if there is none.
std::string one_file_of(const Request& request);

// The frame number of an input as in its name; "" if it is in no sequence.
std::string frame_text(const Input& input);

// The job of some inputs. Throws Error(Exit::usage) if --assemble needs another number of inputs, if the format cannot hold the
// result, or if -o is no name of an output.
Job job_of(const Request& request, std::span<const Input> inputs);

// The number of inputs of a job: 1, or all.
size_t inputs_per_job(const Request& request);

// The first job, for --explain. Throws as job_of() does. There must be an input.
Job first_job_of(const Request& request);

}  // namespace gpupost
