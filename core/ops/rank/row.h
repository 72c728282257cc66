// The rows of ops that take one of the numbers around a texel: the least, the largest, the middle one.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op dilate_op;
extern const Op erode_op;
extern const Op median_op;

}  // namespace gpupost
