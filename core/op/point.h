// Point ops: what their rows have in common.
#pragma once

#include "core/op/op.h"

namespace gpupost {

// The row of a point op, its reference, its tolerance and its plan filled in, where it has none, from what it says of a texel.
Op point_op(Op row);
std::vector<Planes> point_reference(const Call& call, Planes base);
std::vector<Planes> point_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);

// What the device may be off by where a point op makes `made` of `c`.
Color point_error(const Call& call, const Color& c, const Color& made, Depth depth);
// The error of `c` where it is taken for the space that the call works in: what conversion to Yxy loses counts too, and what is
// so small that a device may take it for 0.
Color error_in_space(const Call& call, const Color& c, Color error);
// How far the result moves where what it is made of is off by `error`.
Color moved_by(const std::function<Color(const Color&)>& texel, const Color& c, const Color& error);

// What is too large for a float is infinite.
Color as_floats(Color c);

Color color_at(const Planes& planes, size_t index);
Planes made_of_texels(Size size, const std::function<Color(size_t index)>& make);

// The space that a call works in.
PointSpace space_of(const Call& call);

// CIE Y, x and y of linear Rec.709, and back. Black lies nowhere and takes the white point D65. Source: IEC 61966-2-1 and
// CIE 15.
Color yxy_of_rgb(const Color& rgb);
Color rgb_of_yxy(const Color& yxy);
// Color not multiplied by its alpha, and back. Light whose alpha is 0 or not finite stays what it is; under the smallest normal
// float it is 0, as devices may have it.
Color unpremultiply(const Color& premultiplied_color);
Color premultiply(const Color& straight_color);
// Is an alpha 0, or so small that devices may have it as 0? A texel with such an alpha gets no light that was not there.
bool is_transparent(double alpha);
// What a premultiplied color adds for 1 of straight color: the alpha, 0 where it is transparent, 1 where it is not finite.
double coverage_of(double alpha);
// Rec.709 luminance of linear R, G and B.
double luminance_of(const Color& rgb);
inline constexpr std::array<double, 3> luminance_weights{0.2126390059, 0.7151686788, 0.0721923154};

}  // namespace gpupost
