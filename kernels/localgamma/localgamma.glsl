#include "localgamma/curve.glsl"
#include "lib/luminance_of.glsl"
#include "lib/yxy.glsl"

vec4 localgamma(vec4 c, localgamma_params p) {
  if (p.is_yxy != 0) {
    const vec4 light = without_negatives(c);
    return locally_encoded_yxy(light, adapted_exponent(light.r));
  }
  return locally_encoded_rgb(c, adapted_exponent(luminance_of(c.rgb)));
}
