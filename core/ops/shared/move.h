// The pass that moves texels and makes none.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Appends the pass that makes a picture of `size` of the current image's texels: the one at `from` goes to the top left,
// its neighbors are `step` (1 or -1) away in each direction.
void plan_move(PlanBuilder& builder, std::string name, Size size, Position from, Position step);

}  // namespace gpupost
