// What chains need to find in a picture.
#pragma once

#include "core/pipeline/apply_to.h"

#include <span>

namespace gpupost {

// Refuses a picture without color where an op would change nothing of it, and a gray one where R, G and B are directions:
// throws Error(Exit::usage).
void check_requirements(std::span<const Call> calls, const ApplyTo& apply_to, const Picture& picture);

}  // namespace gpupost
