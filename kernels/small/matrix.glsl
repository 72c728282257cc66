#include "lib/storage.glsl"

vec3 matrix_product(vec4 light, matrix_params p) {
  return vec3(dot(vec4(p.rr, p.rg, p.rb, p.r1), light), dot(vec4(p.gr, p.gg, p.gb, p.g1), light),
              dot(vec4(p.br, p.bg, p.bb, p.b1), light));
}

// Infinite light stays infinite: a sum with it would be NaN where weights are 0 or differ in sign. Sums of large numbers overflow only
// if their results do.
vec3 matrix_of_large(vec4 light, matrix_params p) {
  const bvec3 is_infinite = greaterThan(abs(light.rgb), vec3(largest_float));
  const vec4 finite = vec4(mix(light.rgb, 1e30 * sign(light.rgb), is_infinite), light.a);
  const vec3 made = 8.0 * matrix_product(0.125 * finite, p);
  const float infinity = uintBitsToFloat(0x7f800000u);
  const bvec3 is_endless = greaterThan(abs(made), vec3(any(is_infinite) ? 1e20 : infinity));
  return mix(made, infinity * sign(made), is_endless);
}

vec4 matrix(vec4 c, matrix_params p) {
  const vec4 light = vec4(c.rgb, coverage_of(c.a));
  const bool is_large = any(greaterThan(abs(c.rgb), vec3(1e37)));
  return vec4(is_large ? matrix_of_large(light, p) : matrix_product(light, p), c.a);
}
