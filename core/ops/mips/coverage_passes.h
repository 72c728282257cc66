// The passes that keep the coverage of an alpha test in mip levels.
#pragma once

#include "core/plan/builder.h"

namespace gpupost {

// Appends the passes that scale alpha in the levels of the current image, two or more, as with_coverage() defines it. Throws
// Error(Exit::limit) where a picture has more samples than a counter of 32 bits.
void plan_coverage(PlanBuilder& builder, double reference);

// The same for a tile of a level: the pass that counts its samples, for scales_of_counts(), and the pass that scales it.
void plan_coverage_count(PlanBuilder& builder, bool is_base, double reference);
void plan_coverage_scale(PlanBuilder& builder);

}  // namespace gpupost
