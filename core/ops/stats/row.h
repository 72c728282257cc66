// The row of `stats`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op stats_op;

}  // namespace gpupost
