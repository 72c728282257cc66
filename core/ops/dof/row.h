// The row of `dof`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op dof_op;

}  // namespace gpupost
