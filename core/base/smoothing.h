// Smoothing of a series of numbers, one for each frame.
#pragma once

#include <span>
#include <vector>

namespace gpupost {

// Replaces each number by the median of the `window` numbers around it, then each median by the mean of the `window`
// medians around it. A window has an odd size; at both ends it has only the numbers that exist. NaN is a frame without a
// number: it counts in no median and in no mean. Its result is the mean of the medians around it, which is NaN if there
// are none.
std::vector<double> smoothed(std::span<const double> numbers, int window);

}  // namespace gpupost
