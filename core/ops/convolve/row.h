// The row of `convolve`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op convolve_op;

}  // namespace gpupost
