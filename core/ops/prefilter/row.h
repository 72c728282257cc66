// The rows of `prefilter` and `irradiance`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op prefilter_op, irradiance_op;

// Returns whether the call filters a cube as a whole, so that its result is cut into faces.
bool filters_cube(const Call& call);

}  // namespace gpupost
