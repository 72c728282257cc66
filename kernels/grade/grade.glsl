#include "lib/signed_power.glsl"
#include "lib/storage.glsl"

vec3 grade_limited(vec3 c) { return vec3(unit(c.r), unit(c.g), unit(c.b)); }

vec3 graded(vec3 c, grade_params p) {
  c = c * vec3(p.slope_r, p.slope_g, p.slope_b) + vec3(p.offset_r, p.offset_g, p.offset_b);
  if (p.clamps != 0) c = grade_limited(c);
  c = mix(c, signed_power(c, vec3(p.power_r, p.power_g, p.power_b)), greaterThan(c, vec3(0.0)));
  if (p.saturation == 1.0) return c;
  const float luma = dot(vec3(0.2126, 0.7152, 0.0722), c);
  // by halves: the distance of two numbers may be too large where what is made of it is not
  precise const vec3 half_distance = 0.5 * c - 0.5 * luma;
  c = 2.0 * (0.5 * luma + p.saturation * half_distance);
  return p.clamps != 0 ? grade_limited(c) : c;
}

vec4 grade(vec4 c, grade_params p) {
  // where alpha is 0 black stays black
  return vec4(is_transparent(c.a) ? graded(c.rgb, p) - graded(vec3(0.0), p) : graded(c.rgb, p), c.a);
}
