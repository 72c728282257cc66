// The row of `bilateral`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op bilateral_op;

}  // namespace gpupost
