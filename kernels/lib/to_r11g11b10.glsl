// Conversion to B10G11R11: no sign, no alpha, five exponent bits. Counts texels that do not fit, and clamped values.
#include "lib/count_clamped.glsl"

vec4 fitted(vec4 c) {
  const vec3 largest = vec3(65024.0, 65024.0, 64512.0);
  if (any(lessThan(c.rgb, vec3(0.0))) || abs(c.a - 1.0) > 0.001) atomicAdd(statistics[misfits_at], 1u);
  const bvec3 is_clamped = greaterThan(c.rgb, largest);
  if (any(is_clamped)) count_clamped(dot(vec3(is_clamped), vec3(1.0)));
  return vec4(mix(c.rgb, largest, is_clamped), 1.0);
}
