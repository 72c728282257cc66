// Guided filters: their definition in double, and what the definition and the passes share.
#pragma once

#include "core/op/op.h"
#include "core/ops/shared/second_pictures.h"

#include <vector>

namespace gpupost {

// Epsilon is at least this share of the mean square of the guide.
inline constexpr double least_guide_contrast = 0x1p-16;
// Least weight of a window with a texel that has one.
inline constexpr double least_guide_sum = least_straight_weight * least_straight_weight;

// The box blur that makes the means over the windows.
Call guided_box(const Call& call);

std::vector<Planes> guided_reference(const Call& call, Planes base);
// Bounds of the errors of a device in this image, if its `base` has errors up to `error`.
std::vector<Planes> guided_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);

}  // namespace gpupost
