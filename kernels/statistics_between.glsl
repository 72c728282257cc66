// The average of the logarithms of the luminances between two percentiles of a picture's statistics. By one workgroup,
// a thread a bin.
#include "statistics.glsl"

shared uint bins[bin_count];
shared vec2 sums[bin_count];  // of weights, and of places weighted

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  bins[thread] = statistics[bin_of(statistics_at, thread)];
  barrier();
  uint before = 0, all = 0;
  for (int bin = 0; bin < bin_count; ++bin) {
    all += bins[bin];
    if (bin < thread) before += bins[bin];
  }
  const float below = float(before), upto = float(before + bins[thread]);
  const float low = intBitsToFloat(low_bits) * float(all), high = intBitsToFloat(high_bits) * float(all);
  const float weight = max(0.0, min(upto, high) - max(below, low));
  sums[thread] = weight * vec2(1.0, float(thread) + 0.5);
  for (int count = bin_count / 2; count > 0; count /= 2) {
    barrier();
    if (thread < count) sums[thread] += sums[thread + count];
  }
  if (thread > 0) return;
  const float average = sums[0].x > 0.0 ? exp2(logarithm_of_edge(sums[0].y / sums[0].x)) : 0.0;
  statistics[average_at] = floatBitsToUint(average);
}
