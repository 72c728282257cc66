// The row of `merge`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op merge_op;

}  // namespace gpupost
