#include "lib/luminance_of.glsl"

vec4 threshold(vec4 c, threshold_params p) {
  if (is_transparent(c.a)) return vec4(vec3(0.0), c.a);
  const vec3 number = p.by == 0 ? c.rgb : vec3(luminance_of(c.rgb));
  return vec4(greaterThanEqual(number, vec3(p.level)), c.a);
}
