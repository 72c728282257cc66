// Sums of distances from the means, and of their squares. Distances are scaled, so that squares neither overflow nor vanish.
#include "stats/layout.glsl"

float number_at(int at) { return uintBitsToFloat(statistics[at]); }

int exponent_in(float number) { return (floatBitsToInt(number) >> 23) - 127; }

// Exponent of half the largest distance. If numbers are equal, it is so far below theirs that scaled numbers are finite.
int exponent_of(int spread) {
  const float least = number_at(least_of(statistics_at, spread)), largest = number_at(largest_of(statistics_at, spread));
  const float mean = 0.5 * number_at(mean_of(statistics_at, spread));
  const int of_distance = exponent_in(max(0.5 * largest - mean, mean - 0.5 * least));
  return clamp(max(of_distance, exponent_in(max(abs(least), abs(largest))) - 60), -126, 126);
}
float two_to(int exponent) { return intBitsToFloat((127 + exponent) << 23); }

// Position of the sums of a workgroup.
int part_at(int group, int spread) { return parts_at + 2 * (spread_count * group + spread); }

shared vec2 sums_of_threads[256];

// The sum over all threads, in the same order on every run.
vec2 sum_of_group(vec2 own, int thread) {
  barrier();  // other threads may still read the previous values
  sums_of_threads[thread] = own;
  for (int count = 128; count > 0; count /= 2) {
    barrier();
    if (thread < count) sums_of_threads[thread] += sums_of_threads[thread + count];
  }
  barrier();
  return sums_of_threads[0];
}
