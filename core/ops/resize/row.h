// The row of `resize`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op resize_op;

}  // namespace gpupost
