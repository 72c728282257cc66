// Limits for window coordinates. Ops, readers and writers check them.
#pragma once

#include <algorithm>
#include <climits>

namespace gpupost {

// OpenEXR refuses coordinates of this magnitude. Sides of windows within it fit in int.
constexpr int window_bound = INT_MAX / 2;
// Limit for data windows: tinyexr 1.0.1 refuses lines beyond it.
constexpr int data_window_bound = 2 << 20;

// Clamps a window coordinate to this bound.
inline int bounded_coordinate(double place) { return int(std::clamp<double>(place, -window_bound, window_bound)); }

}  // namespace gpupost
