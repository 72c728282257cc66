// A chain on one group of a picture's channels: passes, numbers, and whether both are what the definition says.
#pragma once

#include "cli/lazy_gpu.h"
#include "cli/report.h"

#include <span>

namespace gpupost {

// Its levels take the place of the group's, but for a level 0 that is the input; what the calls of `stats` measure goes to
// `measured`, one for each such call of the request. Throws Error(Exit::difference) where --verify finds one.
void run_group(std::span<const Call> calls, const Globals& globals, LazyGpu& lazy, Group& group,
               std::span<Measured> measured, JobReport& report);

}  // namespace gpupost
