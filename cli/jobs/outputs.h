// Where results go: names of outputs from names of inputs, before any work.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/job.h"

#include <span>
#include <string>
#include <vector>

#include <vector>

namespace gpupost {

// The jobs of a request, checked as far as they can be before any work. Throws Error(Exit::usage) where there is no input, or
// not as many as --assemble needs, or a format that cannot hold what it makes,
// where two results may go to one file, levels among them, or over an input of another job, or where standard input or output is a terminal;
// Error(Exit::output) where a folder is missing, or a file is there that --no-clobber protects.
std::vector<Job> jobs_of(const Request& request);

// Where the run keeps its journal; "": nowhere. Throws Error(Exit::usage) for jobs that no later run could skip.
std::string journal_of(const Globals& globals, std::span<const Job> jobs);

}  // namespace gpupost
