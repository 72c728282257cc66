// Power function that keeps the sign. NaN and infinity stay. The power of a finite value is at most 2^120.
vec3 signed_power(vec3 c, vec3 exponent) {
  const uvec3 sign_bits = floatBitsToUint(c) & 0x80000000u;
  const vec3 power = uintBitsToFloat(floatBitsToUint(min(pow(abs(c), exponent), 1.32922800e36)) | sign_bits);
  return mix(c, power, lessThanEqual(abs(c), vec3(3.40282347e38)));
}
vec3 signed_power(vec3 c, float exponent) { return signed_power(c, vec3(exponent)); }
