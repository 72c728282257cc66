#include "lib/luminance_of.glsl"

vec4 saturation(vec4 c, saturation_params p) {
  const float luminance = luminance_of(c.rgb);
  // scaled by 1/2, because the difference of two values may overflow although the result does not
  precise const vec3 half_distance = 0.5 * c.rgb - 0.5 * luminance;
  return vec4(2.0 * (0.5 * luminance + p.factor * half_distance), c.a);
}
