// The row of `warp`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op warp_op;

}  // namespace gpupost
