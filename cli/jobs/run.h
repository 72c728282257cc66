// Runs a request: makes its jobs, runs the pipeline and prints the results.
#pragma once

#include "cli/options/command_line.h"
#include "core/base/error.h"
#include "core/pipeline/settings.h"

namespace gpupost {

// The settings of the pipeline for a request.
ChainRequest chain_request_of(const Request& request);

// Runs the request and returns the exit code. Throws Error if the whole request fails.
Exit run(const Request& request);

}  // namespace gpupost
