// Images without alpha.
#pragma once

#include "core/op/op.h"

#include <span>
#include <vector>

namespace gpupost {

// An image without alpha is opaque, but black texels from beyond its border have alpha 0 on the device. Sets alpha to 1 behind the
// calls that make them, so that the calls that follow give what they give for the written result. `image`: the input of the first call.
std::vector<Call> keep_opaque(std::span<const Call> calls, const Output& image);

}  // namespace gpupost
