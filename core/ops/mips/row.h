// The row of `mips`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op mips_op;

}  // namespace gpupost
