// The row of `point`, the op that a user writes.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op users_point_op;

}  // namespace gpupost
