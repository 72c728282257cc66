// Bloom: how far light glows, by its definition in double.
#pragma once

#include "core/op.h"

#include <vector>

namespace gpupost {

// What each level of a picture's mip chain, from level 1 on, gives to the glow; 1 in all. Levels up to log2(radius) give the
// same, the next one as much less as the radius lies below its texels; no more levels than the picture has.
std::vector<double> glow_weights(double radius, Size size);

// The next larger level by quadratic B-splines: a texel is made of the three a side that are nearest to it, clamped at the
// border. Between levels of even sides the sum of light stays.
Plane spread(const Plane& from, Size to);

// The levels from 1 on, each with its weight, spread to the picture's size and added.
Planes glow_of(const std::vector<Planes>& levels, const std::vector<double>& weights);

}  // namespace gpupost
