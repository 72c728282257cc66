// The definition of `bleed` in double precision.
#pragma once

#include "core/base/math.h"
#include "core/op/op.h"

namespace gpupost {

constexpr double least_bleeding_alpha = 1e-12;   // color with a smaller |alpha| does not spread
constexpr double largest_bleeding_color = 1e15;  // larger straight color does not spread, nor does NaN

// Size of the next level of the pyramid.
constexpr Size half_of(Size size) { return {div_ceil(size.width, 2), div_ceil(size.height, 2)}; }

// The level with the color of the surroundings where alpha is 0.
Planes bled(Planes level);
// Allowed error of the device in bled(level), if `level` has the error `error`.
Planes bled_tolerance(const Planes& level, const Planes& error, Depth depth);

}  // namespace gpupost
