// Power of scale * c that keeps the sign. Where c is NaN or infinite, c stays. The power of a finite value is at most 2^120.
vec3 signed_power(float scale, vec3 c, vec3 exponent) {
  const uvec3 sign_bits = floatBitsToUint(c) & 0x80000000u;
  const vec3 power = uintBitsToFloat(floatBitsToUint(min(pow(abs(scale * c), exponent), 1.32922800e36)) | sign_bits);
  return mix(c, power, lessThanEqual(abs(c), vec3(3.40282347e38)));
}
vec3 signed_power(vec3 c, vec3 exponent) { return signed_power(1.0, c, exponent); }
vec3 signed_power(vec3 c, float exponent) { return signed_power(c, vec3(exponent)); }
