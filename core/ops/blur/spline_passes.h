// The passes of gaussians on a coarser grid.
#pragma once

#include "core/ops/blur/reference.h"
#include "core/plan/builder.h"

namespace gpupost {

// Appends passes whose cost does not grow with sigma: columns and rows are reduced to cells, the cells are blurred, and
// one pass enlarges both axes.
void plan_splines(PlanBuilder& builder, const Blur& blur);

}  // namespace gpupost
