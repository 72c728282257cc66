// Exposures of a series of images: `exposure --auto-from FILE`, and `exposure --auto --smooth FRAMES`.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/device_session.h"
#include "core/pipeline/job.h"
#include "core/pipeline/settings.h"

#include <string>
#include <vector>

namespace gpupost {

// Gives each job its own exposure, as a call that replaces that of `chain`. Reads the files of --auto-from, which it then
// removes from `chain`. Without such a file it decodes and measures all inputs of the request. An image without a
// measurement gets no call, so that its job fails. Throws Error(Exit::usage) if the inputs are not one whole sequence,
// and Error(Exit::input) if a file is not the output of `stats`.
void give_exposures(const Request& request, ChainRequest& chain, std::vector<Job>& jobs, DeviceSessions& devices);

// The other inputs that the exposure of a job depends on: with --smooth, the frames before and behind its own.
std::vector<std::string> neighbors_of(const Request& request, const Job& job);

}  // namespace gpupost
