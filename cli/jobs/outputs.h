// Chooses and checks output names before any work.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/job.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

// The file to which `stats` at the end of the chain writes its lines: that of -o if it ends in .json. "": none.
std::string statistics_file_of(const Request& request);

// The option or op that makes one file of all inputs: "--assemble cube", "sheet"; "" if there is none.
std::string one_file_of(const Request& request);

// The frame number of an input as in its name; "" if it is in no sequence.
std::string frame_text(const Input& input);

// A job whose outputs --no-clobber keeps, so that it does not run.
struct KeptJob {
  Job job;
  size_t index = 0;  // among all jobs of the request
};

struct JobList {
  std::vector<Job> jobs;
  std::vector<KeptJob> kept;      // in order
  bool keeps_statistics = false;  // --no-clobber keeps the file of statistics, so that all jobs are kept
};

// Makes the jobs of a request and checks them before any work. Throws Error(Exit::usage) if inputs are missing, if
// --assemble needs another number of inputs, if a format cannot hold the result, if two outputs have one name, if an
// output would overwrite an input of another job, or if standard input or output is a terminal. Throws
// Error(Exit::output) if a folder is missing or cannot be created.
JobList jobs_of(const Request& request);

// The job of the first input, without checks of files and options, for --explain. Throws Error(Exit::usage) if -o is no name
// of an output.
Job first_job_of(const Request& request);

// Path of the journal; "" if there is none. Throws Error(Exit::usage) for jobs that a later run could not skip.
std::string journal_of(const Globals& globals, std::span<const Job> jobs);

}  // namespace gpupost
