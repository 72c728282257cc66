// Tests bits, because compilers may replace comparisons by minimum and maximum, which lose NaN.
bvec3 is_no_number(vec3 c) { return greaterThan(floatBitsToUint(c) & 0x7fffffffu, uvec3(0x7f800000u)); }

vec4 clamp(vec4 c, clamp_params p) {
  // where alpha is 0, black stays black
  const float low = is_transparent(c.a) ? min(p.min, 0.0) : p.min, high = is_transparent(c.a) ? max(p.max, 0.0) : p.max;
  return vec4(mix(min(max(c.rgb, vec3(low)), vec3(high)), c.rgb, is_no_number(c.rgb)), c.a);
}
