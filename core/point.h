// Point ops: what their rows have in common.
#pragma once

#include "core/op.h"

namespace gpupost {

// The row of a point op, its reference, its tolerance and its plan filled in from what it says of a texel.
Op point_op(Op row);

// CIE Y, x and y of linear Rec.709, and back. Black lies nowhere and takes the white point D65. Source: IEC 61966-2-1 and
// CIE 15.
Colour yxy_of_rgb(const Colour& rgb);
Colour rgb_of_yxy(const Colour& yxy);
// Rec.709 luminance of linear R, G and B.
double luminance_of(const Colour& rgb);
inline constexpr std::array<double, 3> luminance_weights{0.2126390059, 0.7151686788, 0.0721923154};

}  // namespace gpupost
