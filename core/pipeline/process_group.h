// Runs a chain on one group of channels, and compares the result with the reference if --verify is given.
#pragma once

#include "core/pipeline/device_session.h"
#include "core/pipeline/report.h"

#include <span>

namespace gpupost {

// Replaces the group's levels by the result; level 0 stays if it is the input. Returns the results of `stats` calls, in
// order. Throws Error(Exit::difference) if --verify finds a difference.
std::vector<Statistics> run_group(std::span<const Call> calls, const ChainRequest& request, DeviceSession& lazy,
                                  Group& group, JobReport& report);

}  // namespace gpupost
