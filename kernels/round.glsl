// The nearest half of a float, of two as near the even one. What is too large for a half, infinite or no number stays.
vec4 nearest_half(vec4 c) {
  // ten bits behind the first are left; below 2^-14 what is left are multiples of 2^-24, the spacing of floats from a half on
  const uvec4 bits = floatBitsToUint(c);
  const vec4 usual = uintBitsToFloat((bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu);
  precise const vec4 raised = abs(c) + 0.5;
  precise const vec4 small = raised - 0.5;
  const vec4 near = mix(usual, sign(c) * small, lessThan(abs(c), vec4(6.103515625e-5)));
  return mix(c, near, lessThan(abs(c), vec4(65520.0)));
}
