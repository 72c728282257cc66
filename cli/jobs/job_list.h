// Makes the jobs of a request.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/job.h"

#include <span>
#include <string>
#include <vector>

namespace gpupost {

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

// Throws Error(Exit::usage) as jobs_of() does if two outputs have one name or an output would overwrite an input. Writes nothing.
void check_output_names(const Request& request);

// Path of the journal; "" if there is none. Throws Error(Exit::usage) for jobs that a later run could not skip.
std::string journal_of(const Globals& globals, std::span<const Job> jobs);

}  // namespace gpupost
