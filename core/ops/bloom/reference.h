// Bloom: how far light glows, by its definition in double.
#pragma once

#include "core/op/op.h"

#include <vector>

namespace gpupost {

// The share of each level of the light's pyramid in the glow, from level 1 on; 1 in all. Levels up to log2(radius) have the
// same share, the next one as much less as the radius lies below its texels. There is at least one level, and no more
// than the picture has.
std::vector<double> glow_weights(double radius, Size size);

// The next smaller level: each texel is a mean under a tent that falls to 0 at the middles of its neighbors, per axis; the
// tent is integrated over the area of each texel of `from` and mirrored at the border. At even sides the weights are
// 1, 3, 3, 1 eighths. Constants, the sum of light per area, and away from the border its centroid stay, at any size.
Planes lowered(const Planes& from);

// The next larger level by linear interpolation, averaged over the area of each texel of `to`: the transpose of lowered().
// At even sides the weights are 1 and 3 quarters; over several levels they add up to a quadratic B-spline.
Plane spread(const Plane& from, Size to);

// Levels 0 to `count` of the light's pyramid.
std::vector<Planes> light_levels(Planes light, size_t count);

// The levels from 1 on, each with its weight, spread to the size of level 0 and added.
Planes glow_of(const std::vector<Planes>& levels, const std::vector<double>& weights);

}  // namespace gpupost
