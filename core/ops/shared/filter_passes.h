// The passes of separable filters.
#pragma once

#include "core/plan/builder.h"
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

// The footprint of all of `to` in `from`, where the middle of a texel of the result lies in the source as without a phase.
Footprint filter_footprint(const Filtering& filtering, Size from, Size to);

// Returns whether it is cheaper to filter along rows before columns. With limited ringing, rows come first.
bool filters_rows_first(const FilterStep& step, const Filtering& filtering);

// Appends the two passes of each step. An image of floats that all steps share is between the passes, so the first step must be
// the largest.
void plan_filter(PlanBuilder& builder, const std::vector<FilterStep>& steps, const Filtering& filtering, bool x_first);

}  // namespace gpupost
