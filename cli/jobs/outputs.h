// Chooses the formats and names of outputs.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/job.h"

#include <span>
#include <string>

namespace gpupost {

// The file to which `stats` at the end of the chain writes its lines: that of -o if it ends in .json. "": none.
std::string statistics_file_of(const Request& request);

// The option or op that makes one file of all inputs: "--assemble cube", "sheet"; "" if there is none.
std::string one_file_of(const Request& request);

// The frame number of an input as in its name; "" if it is in no sequence.
std::string frame_text(const Input& input);

// The job of some inputs. Throws Error(Exit::usage) if --assemble needs another number of inputs, if the format cannot hold the
// result, or if -o is no name of an output.
Job job_of(const Request& request, std::span<const Input> inputs);

// The job of the first input, without checks of files and options, for --explain. Throws Error(Exit::usage) if -o is no name
// of an output.
Job first_job_of(const Request& request);

}  // namespace gpupost
