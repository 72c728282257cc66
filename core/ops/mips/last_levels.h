// The pass that makes the last levels of a mip chain in one workgroup.
#pragma once

#include "core/plan/builder.h"

namespace gpupost {

// Returns whether one workgroup makes all levels below a level of this size, and the device can run it. A CPU gains nothing.
bool suits_last_levels(Size size, int levels_below, const DeviceTraits& traits);

// Appends the pass that makes the levels below `level` of an image, up to `levels` of them with level 0. `reduce`: --reduce.
void plan_last_levels(PlanBuilder& builder, int image, int level, int levels, int reduce);

}  // namespace gpupost
