// The row of `blur`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op blur_op;

}  // namespace gpupost
