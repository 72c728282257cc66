// The median of a square around each texel. Numbers are compared as keys: unsigned integers in the order of the floats, NaN last.
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"

const int side = 2 * RADIUS + 1, count = side * side;

uvec4 tap(ivec2 at, int index) {
  const ivec2 place = at + ivec2(index % side, index / side) - RADIUS;
  const vec4 c = as_rgb(load(clamp(place, ivec2(0), ivec2(end_x, end_y) - 1)));
  const uvec4 bits = floatBitsToUint(c);
  const uvec4 keys = mix(bits | 0x80000000u, ~bits, greaterThanEqual(bits, uvec4(0x80000000u)));
  return mix(keys, uvec4(0xffffffffu), greaterThan(bits & 0x7fffffffu, uvec4(0x7f800000u)));
}

vec4 number_of(uvec4 keys) {
  return uintBitsToFloat(mix(~keys, keys & 0x7fffffffu, greaterThanEqual(keys, uvec4(0x80000000u))));
}

#if RADIUS <= 2
// Forgetful selection: of count / 2 + 2 numbers neither the least nor the largest is the median. Both are dropped, one more comes
// in, until one is left.
uvec4 median_key(ivec2 at) {
  uvec4 kept[count / 2 + 2];
  [[unroll]] for (int k = 0; k < count / 2 + 2; ++k) kept[k] = tap(at, k);
  [[unroll]] for (int size = count / 2 + 2; size > 2; --size) {
    // the least to the front, the largest to the end
    [[unroll]] for (int k = 1; k < size; ++k) {
      const uvec4 less = min(kept[0], kept[k]);
      kept[k] = max(kept[0], kept[k]);
      kept[0] = less;
    }
    [[unroll]] for (int k = 1; k + 1 < size; ++k) {
      const uvec4 more = max(kept[size - 1], kept[k]);
      kept[k] = min(kept[size - 1], kept[k]);
      kept[size - 1] = more;
    }
    kept[0] = size == 3 ? kept[1] : tap(at, count - size + 3);
  }
  return kept[0];
}
#else
// Four bits of the key at a time, the highest first: how many of the numbers that agree so far have each digit?
uvec4 median_key(ivec2 at) {
  uvec4 made = uvec4(0u), mask = uvec4(0u);
  ivec4 rank = ivec4(count / 2);
  for (int shift = 28; shift >= 0; shift -= 4) {
    ivec4 counts[16];
    for (int digit = 0; digit < 16; ++digit) counts[digit] = ivec4(0);
    for (int k = 0; k < count; ++k) {
      const uvec4 keys = tap(at, k);
      const uvec4 digits = (keys >> shift) & 15u;
      const ivec4 agrees = ivec4(equal(keys & mask, made));
      for (int c = 0; c < 4; ++c) counts[digits[c]][c] += agrees[c];
    }
    for (int c = 0; c < 4; ++c) {
      uint digit = 0u;
      while (rank[c] >= counts[digit][c]) rank[c] -= counts[digit++][c];
      made[c] |= digit << shift;
    }
    mask |= uvec4(15u << shift);
  }
  return made;
}
#endif

void make(ivec2 at) { store(at, of_rgb(number_of(median_key(at)))); }
