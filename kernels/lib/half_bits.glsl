// Packs a texel to half, rounded to nearest, for images of two unsigned integers.
#ifdef PACKS_TOWARD_ZERO
// The nearest numbers that halves hold, of two the even one.
vec4 nearest_halves(vec4 c) {
  const uvec4 sign = floatBitsToUint(c) & 0x80000000u, bits = floatBitsToUint(c) ^ sign;
  precise const vec4 below_normal = (uintBitsToFloat(bits) + 0.5) - 0.5;  // multiples of 2^-24
  const uvec4 normal = (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu;
  const uvec4 made = mix(normal, floatBitsToUint(below_normal), lessThan(bits, uvec4(0x38800000u)));  // 2^-14
  return mix(uintBitsToFloat(made | sign), c, greaterThanEqual(bits, uvec4(0x7f800000u)));
}
#else
#define nearest_halves(c) c
#endif
uvec4 half_bits(vec4 given) {
  const vec4 c = nearest_halves(given);
  return uvec4(packHalf2x16(c.rg), packHalf2x16(c.ba), 0, 0);
}
// The other way.
vec4 of_half_bits(uvec2 bits) { return vec4(unpackHalf2x16(bits.x), unpackHalf2x16(bits.y)); }
