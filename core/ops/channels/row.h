// The row of `channels`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op channels_op;

}  // namespace gpupost
