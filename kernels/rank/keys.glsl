// Sort keys of R, G, B and alpha: unsigned integers in the order of the floats, NaN last.

uvec4 keys_of(vec4 c) {
  const uvec4 bits = floatBitsToUint(c);
  const uvec4 keys = mix(bits | 0x80000000u, ~bits, greaterThanEqual(bits, uvec4(0x80000000u)));
  return mix(keys, uvec4(0xffffffffu), greaterThan(bits & 0x7fffffffu, uvec4(0x7f800000u)));
}

vec4 values_of(uvec4 keys) {
  return uintBitsToFloat(mix(~keys, keys & 0x7fffffffu, greaterThanEqual(keys, uvec4(0x80000000u))));
}

// The keys at a position. Beyond the border, the edge texel repeats.
uvec4 keys_at(ivec2 at) { return keys_of(load(clamp(at, ivec2(0), ivec2(end_x, end_y) - 1))); }
