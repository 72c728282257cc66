// The row of `luminance`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op luminance_op;

}  // namespace gpupost
