// How far from the origin the windows of pictures may reach. Ops keep to it, readers and writers of files check it.
#pragma once

#include <algorithm>
#include <climits>

namespace gpupost {

// OpenEXR refuses a window with a coordinate that is this far from 0. The sides of a window within it fit an int.
constexpr int window_bound = INT_MAX / 2;
// The same for data windows alone: tinyexr 1.0.1 refuses lines beyond it.
constexpr int data_window_bound = 2 << 20;

// The nearest coordinate that a window may have in memory: a file may have those within the bound alone.
inline int bounded_coordinate(double place) { return int(std::clamp<double>(place, -window_bound, window_bound)); }

}  // namespace gpupost
