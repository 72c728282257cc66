// The average of the logarithms of the luminances between two percentiles of a picture's statistics. By one workgroup,
// eight bins a thread.
#include "statistics.glsl"

const int bins_each = bin_count / 256;

shared uint counts[256];  // of a thread's bins
shared vec2 sums[256];    // of weights, and of places weighted

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const int first = bins_each * thread;
  uint count = 0;
  for (int bin = first; bin < first + bins_each; ++bin) count += statistics[bin_of(statistics_at, bin)];
  counts[thread] = count;
  barrier();
  uint before = 0, all = 0;
  for (int other = 0; other < 256; ++other) {
    all += counts[other];
    if (other < thread) before += counts[other];
  }
  const float low = intBitsToFloat(low_bits) * float(all), high = intBitsToFloat(high_bits) * float(all);
  vec2 sum = vec2(0.0);
  for (int bin = first; bin < first + bins_each; ++bin) {
    const uint upto = before + statistics[bin_of(statistics_at, bin)];
    const float weight = max(0.0, min(float(upto), high) - max(float(before), low));
    sum += weight * vec2(1.0, float(bin) + 0.5 - bin_of_one);
    before = upto;
  }
  sums[thread] = sum;
  for (int half_count = 128; half_count > 0; half_count /= 2) {
    barrier();
    if (thread < half_count) sums[thread] += sums[thread + half_count];
  }
  if (thread > 0) return;
  const float average = sums[0].x > 0.0 ? exp2(logarithm_of_place(sums[0].y / sums[0].x)) : 0.0;
  statistics[average_at] = floatBitsToUint(average);
}
