// The passes of the mip chain by area means.
#pragma once

#include "core/plan/builder.h"

namespace gpupost {

// The level of the chain that the current image is: 0, or a lower level of a chain that is made in tiles.
int first_level(const PlanBuilder& builder);

// Appends the passes that make levels 1 to levels - 1 of the current image by the mean (minimum, maximum: --reduce)
// over the area of each texel, as the call's --method and --variant say. The image holds that many levels, two or more.
// Throws Error(Exit::usage) where the device cannot do what was asked for.
void plan_area_mips(const Call& call, PlanBuilder& builder, int levels);

}  // namespace gpupost
