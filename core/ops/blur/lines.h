// Blurs in one pass along rows and one along columns, in which a thread makes several texels of a line.
#pragma once

#include "core/ops/blur/reference.h"
#include "core/plan/builder.h"
#include "core/plan/kernel_choices.h"

#include <vector>

namespace gpupost {

// Sums of boxes, O(1) in the radius, without subtraction. For boxes alone.
void plan_sliding_lines(PlanBuilder& builder, const Blur& blur);
// Each texel times each weight, for any kernel.
void plan_taps_lines(PlanBuilder& builder, const Blur& blur);
// Such sums with `weights` along one axis of an image of sums. Returns an image of the same size.
int plan_inner_line(PlanBuilder& builder, Border border, Axis axis, std::vector<double> weights, int source);

}  // namespace gpupost
