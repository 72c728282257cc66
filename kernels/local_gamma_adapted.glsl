// Local gamma by the luminance of a blurred picture.
//
// IS_XYZ: texels are X, Y and Z, else R, G and B.
// BLUR_IS_YXY: those of the blurred picture are Y, x and y, else R, G and B.
// KEEPS_CHROMA: the chromaticity stays, else R, G and B are encoded each.
#include "alpha.glsl"
#include "each_texel.glsl"
#include "local_gamma.glsl"
#include "luminance_of.glsl"
#include "yxy.glsl"

vec4 encoded(vec4 c, vec4 around) {
  const float exponent = adapted_exponent(BLUR_IS_YXY != 0 ? around.r : luminance_of(around.rgb));
  if (KEEPS_CHROMA != 0) {
    const vec4 xyz = xyz_of(locally_encoded_yxy(yxy_of(IS_XYZ != 0 ? c : xyz_of_rgb(c)), exponent));
    return IS_XYZ != 0 ? xyz : rgb_of_xyz(xyz);
  }
  const vec4 rgb = locally_encoded_rgb(IS_XYZ != 0 ? rgb_of_xyz(c) : c, exponent);
  return IS_XYZ != 0 ? xyz_of_rgb(rgb) : rgb;
}

void make(ivec2 at) { store(at, premultiplied(encoded(straight(load(at)), straight(load_second(at))))); }
