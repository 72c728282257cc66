// The row of `sharpen`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op sharpen_op;

}  // namespace gpupost
