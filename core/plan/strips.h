// Strips: two passes run in turn, each on some rows, so that the image between them needs few rows.
#pragma once

#include "core/plan/plan.h"

#include <vector>

namespace gpupost {

// Push constants of the pass that stores to a ring, and of the pass that loads from it: its rows - 1.
constexpr std::string_view target_ring_mask = "target_ring_mask", source_ring_mask = "source_ring_mask";

// Number of rows of a ring between two passes. 0: the image must have all rows, or is small.
int ring_rows_of(const PassSpec& from, const PassSpec& to, const PlanImage& between, size_t strip_bytes);

// Workgroups of a pass.
struct Dispatch {
  size_t pass = 0;
  std::array<int, 2> first{0, 0}, count{1, 1};
};
// All dispatches of a plan, in their order: one for a pass, or several for passes that run in strips.
std::vector<Dispatch> dispatches_of(const Plan& plan);

}  // namespace gpupost
