// Alpha tests: the share of a picture that one lets through, and the levels of a mip chain with alpha scaled so that they
// keep it. After NVIDIA Texture Tools: a bisection of [0, 4] in ten steps, 1 first, of which the nearest is taken.
#pragma once

#include "core/op/op.h"

#include <vector>

namespace gpupost {

// Scales of alpha that the bisection chooses from.
constexpr int coverage_scale_count = 1024;

// The share of samples that are `reference` or more, 4x4 of them interpolated between each four neighboring texels; alpha
// is clamped to [0, 1] before.
double coverage_of(const Plane& alpha, double reference);

// The scale of alpha in levels 1 and up of a chain, for level 0 itself 1.
std::vector<double> coverage_scales(const std::vector<Planes>& levels, double reference);

// The same from what the device has counted: of level 0 the covered samples, of each other level for each scale the samples that
// it is the first to let through.
std::vector<float> scales_of_counts(std::span<const Size> sizes, std::span<const std::vector<uint64_t>> counts);

// The levels with those scales: alpha scaled and clamped, R, G and B multiplied by as much.
std::vector<Planes> with_coverage(std::vector<Planes> levels, double reference);
// What the device may be off by there, where its levels are off by `errors` before they are scaled: samples near the
// reference may fall on either side of it, and the bisection may go either way where that decides.
std::vector<Planes> coverage_tolerance(const std::vector<Planes>& levels, const std::vector<Planes>& errors,
                                       double reference, Depth depth);

}  // namespace gpupost
