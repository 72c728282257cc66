// The row of `bleed`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op bleed_op;

}  // namespace gpupost
