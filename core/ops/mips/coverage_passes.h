// The passes that keep the coverage of an alpha test in mip levels.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Appends the passes that scale alpha in the levels of the current image, two or more, as with_coverage() defines it. Throws
// Error(Exit::limit) where a picture has more samples than a counter of 32 bits.
void plan_coverage(PlanBuilder& builder, double reference);

}  // namespace gpupost
