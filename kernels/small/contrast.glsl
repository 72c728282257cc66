#include "lib/signed_power.glsl"

// pivot * (c / pivot)^factor, with the pivot inside or outside of the power
vec4 contrast(vec4 c, contrast_params p) {
  return vec4(p.outside * signed_power(p.inside, c.rgb, vec3(p.factor)), c.a);
}
