// The row of `bloom`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op bloom_op;

}  // namespace gpupost
