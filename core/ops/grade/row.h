// The row of `grade`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op grade_op;

}  // namespace gpupost
