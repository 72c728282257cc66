// Code that the rows of point ops share.
#pragma once

#include "core/op/op.h"

namespace gpupost {

// Completes the row of a point op: derives reference, tolerance and plan from `point`, unless the row sets them.
Op point_op(Op row);
std::vector<Planes> point_reference(const Call& call, Planes base);
std::vector<Planes> point_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);

// Allowed error of the device if a point op maps `c` to `made`.
Color point_error(const Call& call, const Color& c, const Color& made, Depth depth);
// The error of `c` after conversion to the call's color space. Includes rounding of Yxy, and denormals that a device
// may flush to 0.
Color error_in_space(const Call& call, const Color& c, Color error);
// Change of the result if the input `c` has the error `error`.
Color moved_by(const std::function<Color(const Color&)>& texel, const Color& c, const Color& error);

// An option as the device gets it. A reference that subtracts it from the light takes it so: where both nearly cancel, its rounding is
// all that is left.
inline double on_device(double option) { return double(float(option)); }
// Values that are too large for a float become infinite.
double as_float(double value);
Color as_floats(Color c);
// The sign of `value` with the power of its size, times `scale`. The result of a finite value is limited to 2^120, so
// that a few results can be added, or multiplied by up to 16, without overflow of a float.
double signed_power(double value, double exponent, double scale = 1);

Color color_at(const Planes& planes, size_t index);
Planes made_of_texels(Size size, const std::function<Color(size_t index)>& make);

// Color space of a call.
PointSpace space_of(const Call& call);

// Conversion between linear Rec. 709 and CIE Y, x, y. Black has no chromaticity and gets that of D65. Source: IEC
// 61966-2-1 and CIE 15.
Color yxy_of_rgb(const Color& rgb);
Color rgb_of_yxy(const Color& yxy);
// Yxy of a color in which negative R, G and B become 0.
Color yxy_without_negatives(const Color& yxy);
// Conversion between premultiplied and straight color. If alpha is 0 or not finite, color does not change. Denormals
// become 0, because devices may flush them.
Color unpremultiply(const Color& premultiplied_color);
Color premultiply(const Color& straight_color);
// Returns whether alpha is 0, or so small that a device may flush it to 0. Such a texel must not get light that it did
// not have.
bool is_transparent(double alpha);
// Factor that turns a straight constant into a premultiplied one: alpha; 0 if transparent, 1 if alpha is not finite.
double coverage_of(double alpha);
// Rec.709 luminance of linear R, G and B.
double luminance_of(const Color& rgb);
// Tolerance of a point op that takes the luminance of its input, which rounds even where it is 0.
std::vector<Planes> luminance_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);
// The weights of R, G and B in the luminance of a call's input, and the shader's parameters with them.
Vector3 luminance_weights_of(const Call& call);
std::vector<ShaderParam> luminance_fields(const Call& call);

}  // namespace gpupost
