// The passes of separable filters.
#pragma once

#include "core/plan/plan.h"
#include "core/reference/filter.h"

namespace gpupost {

// From one level of an image to another, of another size. Of a picture in parts the images hold these regions.
struct FilterStep {
  std::string name;  // "mips level 3"
  int source_image = 0, source_level = 0;
  Size from;
  int target_image = 0, target_level = 0;
  Size to;
  Region source = whole_region(from), target = whole_region(to);
};

// Texels to each side of the one under its middle that a texel takes, were all of `from` to become all of `to`.
Margin reach_of(const Filtering& filtering, Size from, Size to);

// Appends the two passes of each step, rows and columns in the order that is cheaper for the first step, or rows first with limited ringing. What lies between
// them is kept in float, in one image for all steps; the first step is the largest.
void plan_filter(PlanBuilder& builder, const std::vector<FilterStep>& steps, const Filtering& filtering);

}  // namespace gpupost
