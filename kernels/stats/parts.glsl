// Parts of a picture's statistics. Sums are scaled by powers of two as they grow, so that none is larger than the numbers
// in it: no finite picture overflows, and nothing is rounded that is not near zero.
//
// MEASURE_ALL: luminance, each component, counts and the histogram; else the luminance's mean and extremes, and how
// many are not finite.
#include "stats/layout.glsl"
#include "stats/numbers.glsl"

#if MEASURE_ALL
const int spreads = spread_count;
const int kinds = 4;  // kinds of counted values
#else
const int spreads = 1;
const int kinds = 2;
#endif
const int counted = kinds * spreads;
#define each_spread [[unroll]] for (int spread = 0; spread < spreads; ++spread)

// A partial result: sum, minimum and maximum of values, and for luminance the sum of logarithms.
const vec4 empty_part = vec4(0.0, most, -most, 0.0);
vec4 joined(vec4 a, vec4 b) { return vec4(a.x + b.x, min(a.y, b.y), max(a.z, b.z), a.w + b.w); }
vec4 scaled(vec4 part, float factor) { return vec4(factor * part.x, part.yz, factor * part.w); }

// Exponent of the smallest power of two that is at least a count.
int exponent_over(int count) { return findMSB(count - 1) + 1; }
float power_of_two(int exponent) { return intBitsToFloat((127 + exponent) << 23); }
float share_of(int count) { return power_of_two(-exponent_over(count)); }

// Adds up many partial results with compensated summation, so that thousands add no error.
struct Whole {
  vec4 part;
  vec2 lost;
};
const Whole empty_whole = Whole(empty_part, vec2(0.0));

void gather(inout Whole whole, vec4 part) {
  const vec4 sum = joined(whole.part, part);
  precise const vec2 added = sum.xw - whole.part.xw;  // Knuth's TwoSum
  precise const vec2 error = (whole.part.xw - (sum.xw - added)) + (part.xw - added);
  whole.lost += error;
  whole.part = sum;
}

vec4 part_of(Whole whole) { return whole.part + vec4(whole.lost.x, 0.0, 0.0, whole.lost.y); }

// --- a workgroup's parts

shared vec4 parts[256];

vec4 joined_four(int first, int step) {
  return joined(joined(parts[first], parts[first + step]), joined(parts[first + 2 * step], parts[first + 3 * step]));
}

// Joins what all threads have, by spreads, for the first of them: sums are 1/256 of what they were. By fours and always
// in the same order: no sum is of more than two numbers, which keeps their error small.
void join_group(inout vec4 own[spreads], int thread) {
  each_spread {
    barrier();  // other threads may still read the previous values
    parts[thread] = scaled(own[spread], 1.0 / 256.0);
    for (int count = 64; count > 0; count /= 4) {
      barrier();
      if (thread < count) parts[thread] = joined_four(thread, count);
    }
    own[spread] = parts[0];
  }
}
