// Median of a square by its key, two bits at a time from the highest bit in which keys of the square differ.
#include "lib/each_texel.glsl"
#include "rank/keys.glsl"

// Bits below these are the same for all keys of a sign: floats that were halves have zeros there.
#if IS_HALF && !defined(READS_YXY)
const int last_bit = 12;
#else
const int last_bit = 0;
#endif
const int side = 2 * RADIUS + 1, rank = side * side / 2;

uvec4 tap(ivec2 at, int index) { return keys_at(at + ivec2(index % side, index / side) - RADIUS); }

ivec4 is_less(uvec4 a, uvec4 b) { return ivec4(lessThan(a, b)); }
uvec4 is_reached(ivec4 smaller) { return uvec4(lessThanEqual(smaller, ivec4(rank))); }

void make(ivec2 at) {
  uvec4 least = uvec4(0xffffffffu), most = uvec4(0u);
  for (int k = 0; k < side * side; ++k) {
    const uvec4 keys = tap(at, k);
    least = min(least, keys);
    most = max(most, keys);
  }
  const uvec4 differ = least ^ most;
  const int highest = findMSB(differ.x | differ.y | differ.z | differ.w) & ~1;  // -2 where all agree
  uvec4 made = highest >= 30 ? uvec4(0u) : least & uvec4(0xffffffffu << (highest + 2));
  for (int bit = highest; bit >= last_bit; bit -= 2) {
    // a digit is the number of its values with which at most `rank` keys are smaller
    const uvec4 one = made | 1u << bit, two = made | 2u << bit, three = made | 3u << bit;
    ivec4 below_one = ivec4(0), below_two = ivec4(0), below_three = ivec4(0);
    for (int k = 0; k < side * side; ++k) {
      const uvec4 keys = tap(at, k);
      below_one += is_less(keys, one);
      below_two += is_less(keys, two);
      below_three += is_less(keys, three);
    }
    made |= is_reached(below_one) + is_reached(below_two) + is_reached(below_three) << bit;
  }
  if (last_bit > 0) {
    const uvec4 rest = mix(uvec4((1u << last_bit) - 1u), uvec4(0u), greaterThanEqual(made, uvec4(0x80000000u)));
    made = highest >= last_bit ? made | rest : least;
  }
  store(at, values_of(made));
}
