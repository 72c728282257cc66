// The point op clamp for ops that end with it.
#pragma once

#include "core/op/op.h"

namespace gpupost {

// `clamp --min MIN --max MAX`; both numbers stand in the shader's text.
FusedPoint fused_clamp(double min, double max);

}  // namespace gpupost
