// The row of `denoise`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op denoise_op;

}  // namespace gpupost
