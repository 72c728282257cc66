// The row of `brightpass`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op brightpass_op;

}  // namespace gpupost
