// The passes of tone mapping by curves that take what the eye is adapted to around each texel.
#pragma once

#include "core/ops/tonemap/local_reference.h"
#include "core/plan/builder.h"

namespace gpupost {

// Where the middle of a local curve is measured: the statistics of the picture, in units of 4 bytes; -1: it is known.
struct MeasuredMiddle {
  int statistics_at = -1;
};

// Appends the passes that make the adaptation of each texel of the current image, and the one that stores that image through
// `curve`. No more images are alive at once with many scales than with few.
void plan_local_tone(PlanBuilder& builder, const LocalTone& local, MeasuredMiddle measured, FusedPoint curve);

}  // namespace gpupost
