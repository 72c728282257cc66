// The row of `tonemap`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op tonemap_op;

}  // namespace gpupost
