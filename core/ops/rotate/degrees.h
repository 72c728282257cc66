// `rotate --degrees`: the parts of the row of `rotate` for any angle.
#pragma once

#include "core/ops/shared/sampling.h"

namespace gpupost {

Output rotated_output(const Call& call, const Output& input);
Footprint rotated_footprint(const Call& call, Size size);
Planes rotated(const Call& call, const Planes& base);
Planes rotated_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);
void plan_rotated(const Call& call, PlanBuilder& builder);

}  // namespace gpupost
