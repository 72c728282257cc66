// Infinite light stays infinite: a sum with it would be NaN where weights are 0 or differ in sign.
#include "lib/storage.glsl"

vec4 matrix(vec4 c, matrix_params p) {
  const bvec3 is_infinite = greaterThan(abs(c.rgb), vec3(largest_float));
  const vec4 light = vec4(mix(c.rgb, 1e30 * sign(c.rgb), is_infinite), coverage_of(c.a));
  // so that a sum overflows only if its result does
  const float scale = any(greaterThan(abs(light.rgb), vec3(1e37))) ? 0.125 : 1.0;
  const vec4 scaled = scale * light;
  const vec3 made = vec3(dot(vec4(p.rr, p.rg, p.rb, p.r1), scaled), dot(vec4(p.gr, p.gg, p.gb, p.g1), scaled),
                         dot(vec4(p.br, p.bg, p.bb, p.b1), scaled)) / scale;
  const float infinity = uintBitsToFloat(0x7f800000u);
  const bvec3 is_endless = greaterThan(abs(made), vec3(any(is_infinite) ? 1e20 : infinity));
  return vec4(mix(made, infinity * sign(made), is_endless), c.a);
}
