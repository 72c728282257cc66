// What chains need to find in a picture.
#pragma once

#include "core/op.h"

#include <span>

namespace gpupost {

// Refuses a picture without colour where an op is for colour alone, and a grey one where R, G and B are directions: throws
// Error(Exit::usage).
void check_demands(std::span<const Call> calls, const Picture& picture);

}  // namespace gpupost
