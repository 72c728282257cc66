// Parts of a picture's statistics, and how they make the whole. Sums are scaled by powers of two as they grow, so that
// none is larger than the numbers in it: no finite picture overflows, and nothing is rounded that is not near zero.
//
// MEASURE_ALL: luminance, each component, counts and the histogram; else the luminance's mean and extremes, and how
// many are not finite.
// ONE_DISPATCH: workgroups hand their parts on in the scratch buffer, else in the statistics.
#include "statistics.glsl"

const float most = 3.40282347e38;

#if MEASURE_ALL
const int spreads = spread_count;
const int counted = 4 * spread_count;
const int bins_counted = bin_count;
#else
const int spreads = 1;
const int counted = 2;
const int bins_counted = 0;
#endif

// Where workgroups meet: how many have finished, what they have counted, and their parts behind that. What is counted
// is zero again when all is done.
const int finished_at = 0, counters_at = 4, bins_at = 24;
const int parts_at = bins_at + bins_counted;

#if ONE_DISPATCH
void add(int at, uint count) {
  atomicAdd(scratch_counters[at], count, gl_ScopeQueueFamily, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}
uint take(int at) {
  const uint count = scratch_counters[at];
  scratch_counters[at] = 0;
  return count;
}
void keep(int index, vec4 part) { scratch_texels[parts_at / 4 + index] = part; }
vec4 kept(int index) { return kept_texels[parts_at / 4 + index]; }
#else
void add(int at, uint count) { atomicAdd(statistics[meeting_at + at], count); }
uint take(int at) { return statistics[meeting_at + at]; }
void keep(int index, vec4 part) {
  const uvec4 bits = floatBitsToUint(part);
  for (int k = 0; k < 4; ++k) statistics[meeting_at + parts_at + 4 * index + k] = bits[k];
}
vec4 kept(int index) {
  const int at = meeting_at + parts_at + 4 * index;
  return uintBitsToFloat(uvec4(statistics[at], statistics[at + 1], statistics[at + 2], statistics[at + 3]));
}
#endif

// A part: the sum of its numbers, their least, their largest, and of luminance the sum of logarithms.
const vec4 empty_part = vec4(0.0, most, -most, 0.0);
vec4 joined(vec4 a, vec4 b) { return vec4(a.x + b.x, min(a.y, b.y), max(a.z, b.z), a.w + b.w); }
vec4 scaled(vec4 part, float factor) { return vec4(factor * part.x, part.yz, factor * part.w); }

shared vec4 parts[256];

vec4 joined_four(int first, int step) {
  return joined(joined(parts[first], parts[first + step]), joined(parts[first + 2 * step], parts[first + 3 * step]));
}

// All parts of a workgroup as one, for its first thread: sums are 1/256 of what they were. By fours and always in the
// same order: no sum is of more than two numbers, which keeps their error small.
vec4 joined_in_group(vec4 part, int thread) {
  barrier();  // others may still read the parts of before
  parts[thread] = scaled(part, 1.0 / 256.0);
  for (int count = 64; count > 0; count /= 4) {
    barrier();
    if (thread < count) parts[thread] = joined_four(thread, count);
  }
  return parts[0];
}

// The least power of two that is not below a count, as its exponent.
int exponent_over(int count) { return findMSB(count - 1) + 1; }

// What all workgroups have kept of a spread. What a sum loses in rounding is summed beside it, so that thousands of
// workgroups add no error.
vec4 joined_of_all(int spread, int thread) {
  const int rounds = (part_count + 255) / 256;
  const float factor = ldexp(1.0, -exponent_over(rounds));
  vec4 whole = empty_part;
  vec2 lost = vec2(0.0);
  for (int round = 0; round < rounds; ++round) {
    const int index = 256 * round + thread;
    if (index < part_count) {
      const vec4 part = scaled(kept(spreads * index + spread), factor);
      const vec4 sum = joined(whole, part);
      precise const vec2 added = sum.xw - whole.xw;  // Knuth's sum of two numbers
      precise const vec2 error = (whole.xw - (sum.xw - added)) + (part.xw - added);
      lost += error;
      whole = sum;
    }
  }
  whole.xw += lost;
  return joined_in_group(whole, thread);
}

shared uint counts[counted];

uint finite_count(int spread) {
#if MEASURE_ALL
  return uint(texel_count) - counts[4 * spread] - counts[4 * spread + 1];
#else
  return uint(texel_count) - counts[0] - counts[1];
#endif
}

// Writes what is known of a spread.
void write_spread(int spread, vec4 whole) {
  const uint count = finite_count(spread);
  // a thread's, a workgroup's and this workgroup's share of a sum, and that of joined_of_all()
  const float share = ldexp(1.0, 4 + 8 + 8 + exponent_over((part_count + 255) / 256));
  const float mean = count > 0u ? clamp(whole.x * (share / float(count)), whole.y, whole.z) : 0.0;
  statistics[mean_of(statistics_at, spread)] = floatBitsToUint(mean);
  statistics[least_of(statistics_at, spread)] = floatBitsToUint(count > 0u ? whole.y : 0.0);
  statistics[largest_of(statistics_at, spread)] = floatBitsToUint(count > 0u ? whole.z : 0.0);
#if MEASURE_ALL
  if (spread > 0) return;
  const uint positive_count = count - counts[2] - counts[3];
  const float log_average = positive_count > 0u ? exp2(whole.w * (share / float(positive_count))) : 0.0;
  statistics[log_average_of(statistics_at)] = floatBitsToUint(log_average);
#endif
}

// Makes the whole of all parts. By one workgroup of 256.
void finish(int thread) {
  if (thread < counted) {
    counts[thread] = take(counters_at + thread);
    statistics[count_of(statistics_at, 0, 0) + thread] = counts[thread];
  }
  if (thread < bins_counted) statistics[bin_of(statistics_at, thread)] = take(bins_at + thread);
  for (int spread = 0; spread < spreads; ++spread) {
    const vec4 whole = joined_of_all(spread, thread);
    if (thread == 0) write_spread(spread, whole);
  }
}
