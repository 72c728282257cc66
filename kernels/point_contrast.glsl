#include "power.glsl"

vec4 contrast(vec4 c, contrast_params p) {
  return vec4(p.pivot * signed_power(c.rgb / p.pivot, p.factor), c.a);
}
