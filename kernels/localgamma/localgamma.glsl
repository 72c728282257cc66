#include "localgamma/curve.glsl"
#include "lib/luminance_of.glsl"

vec4 localgamma(vec4 c, localgamma_params p) {
  if (p.is_yxy != 0) return locally_encoded_yxy(c, adapted_exponent(c.r));
  return locally_encoded_rgb(c, adapted_exponent(luminance_of(c.rgb)));
}
