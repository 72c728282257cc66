// What images of 11, 11 and 10 bits can hold: no sign, no alpha, five bits of exponent. Texels that do not fit are counted.
vec4 fitted(vec4 c) {
  if (any(lessThan(c.rgb, vec3(0.0))) || abs(c.a - 1.0) > 0.001) atomicAdd(statistics[misfits_at], 1u);
  return vec4(mix(c.rgb, vec3(65024.0, 65024.0, 64512.0), greaterThan(c.rgb, vec3(65024.0, 65024.0, 64512.0))), 1.0);
}
