// The row of `localgamma`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op localgamma_op;

}  // namespace gpupost
