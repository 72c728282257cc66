// The depth that ops work with: of a channel of the picture, or of a file of its own.
#pragma once

#include "core/op/op.h"
#include "core/pipeline/settings.h"

#include <vector>

namespace gpupost {

// Gives the calls that need one the depth of each texel. Where ops before a call move texels, depth goes along
// with the nearest one. Throws Error(Exit::usage) where there is no such channel or its size is not the picture's, and Error(Exit::input)
// where a file cannot be read.
void read_depths(std::vector<Call>& calls, const Picture& picture, const InputSettings& settings);

}  // namespace gpupost
