// The average of the logarithms of the luminances between two percentiles of a picture's statistics. By one workgroup,
// eight bins a thread.
#include "stats/layout.glsl"

const int bins_each = bin_count / 256;

shared uint counts[256];  // counts of a thread's bins, which cover one stop
shared vec2 sums[256];  // sums of weights, and of weighted positions
shared int middle;  // positions are relative to this stop, so that their sum is exact

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const int first = bins_each * thread;
  uint count = 0;
  for (int bin = first; bin < first + bins_each; ++bin) count += statistics[bin_of(statistics_at, bin)];
  counts[thread] = count;
  if (thread == 0) middle = 128;
  barrier();
  uint before = 0, all = 0;
  for (int other = 0; other < 256; ++other) {
    all += counts[other];
    if (other < thread) before += counts[other];
  }
  if (before <= all / 2 && all / 2 < before + count) middle = thread;
  barrier();
  const float low = low_share * float(all), high = high_share * float(all);
  vec2 sum = vec2(0.0);
  for (int bin = first; bin < first + bins_each; ++bin) {
    const uint upto = before + statistics[bin_of(statistics_at, bin)];
    const float weight = max(0.0, min(float(upto), high) - max(float(before), low));
    sum += weight * vec2(1.0, float(bin - bins_each * middle) + 0.5);
    before = upto;
  }
  sums[thread] = sum;
  for (int half_count = 128; half_count > 0; half_count /= 2) {
    barrier();
    if (thread < half_count) sums[thread] += sums[thread + half_count];
  }
  if (thread > 0) return;
  const float average = sums[0].x > 0.0 ? ldexp(exp2(sums[0].y / sums[0].x / bins_each), middle - 128) : 0.0;
  statistics[average_at] = floatBitsToUint(average);
}
