// Local gamma with the luminance of a blurred image. KEEPS_CHROMA: the chromaticity stays; otherwise R, G and B are
// encoded separately.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"
#include "localgamma/curve.glsl"
#include "lib/luminance_of.glsl"
#include "lib/yxy.glsl"

vec4 encoded(vec4 c, vec4 around) {
#ifdef IN_XYZ
  const float exponent = adapted_exponent(around.g);
  if (KEEPS_CHROMA != 0) return xyz_of(locally_encoded_yxy(without_negatives(yxy_of(c)), exponent));
  return xyz_of_rgb(locally_encoded_rgb(rgb_of_xyz(c), exponent));
#else
  const float exponent = adapted_exponent(luminance_of(around.rgb));
  if (KEEPS_CHROMA != 0) return rgb_of_xyz(xyz_of(locally_encoded_yxy(without_negatives(yxy_of(xyz_of_rgb(c))), exponent)));
  return locally_encoded_rgb(c, exponent);
#endif
}

void make(ivec2 at) {
  store(at, premultiply(encoded(unpremultiply(load(at)), unpremultiply(load_second(at)))));
}
