// The row of `guided`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op guided_op;

}  // namespace gpupost
