// A chain on one group of a picture's channels: passes, numbers, and whether both are what the definition says.
#pragma once

#include "core/pipeline/device_session.h"
#include "core/pipeline/report.h"

#include <span>

namespace gpupost {

// Replaces the group's levels with those of the result, but for a level 0 that is the input. Returns what the calls of
// `stats` have measured, in their order. Throws Error(Exit::difference) where --verify finds one.
std::vector<Statistics> run_group(std::span<const Call> calls, const ChainRequest& request, DeviceSession& lazy,
                                  Group& group, JobReport& report);

}  // namespace gpupost
