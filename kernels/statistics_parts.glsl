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
const int kinds = 4;  // of numbers that are counted
const int bins_counted = bin_count;
#else
const int spreads = 1;
const int kinds = 2;
const int bins_counted = 0;
#endif
const int counted = kinds * spreads;
#define each_spread [[unroll]] for (int spread = 0; spread < spreads; ++spread)

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
vec4 kept(int index) { return scratch_texels[parts_at / 4 + index]; }
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

// The least power of two that is not below a count, as its exponent.
int exponent_over(int count) { return findMSB(count - 1) + 1; }
float power_of_two(int exponent) { return intBitsToFloat((127 + exponent) << 23); }
float share_of(int count) { return power_of_two(-exponent_over(count)); }

// Many parts one after the other. What their sums lose in rounding is summed beside them, so that thousands of parts
// add no error.
struct Whole {
  vec4 part;
  vec2 lost;
};
const Whole empty_whole = Whole(empty_part, vec2(0.0));

void gather(inout Whole whole, vec4 part) {
  const vec4 sum = joined(whole.part, part);
  precise const vec2 added = sum.xw - whole.part.xw;  // Knuth's sum of two numbers
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
    barrier();  // others may still read the parts of before
    parts[thread] = scaled(own[spread], 1.0 / 256.0);
    for (int count = 64; count > 0; count /= 4) {
      barrier();
      if (thread < count) parts[thread] = joined_four(thread, count);
    }
    own[spread] = parts[0];
  }
}

// --- what all workgroups have kept

// A thread's share of what is kept of a spread, two at once. The fewer instructions the better: only the last workgroup
// comes here, and has to fetch them first.
vec4 part_of_kept(int spread, int thread) {
  const float share = share_of((part_count + 255) / 256);
  Whole whole = empty_whole;
  [[dont_unroll]] for (int round = 0; round < part_count; round += 512) {
    const int first = round + thread, second = first + 256, last = part_count - 1;
    const vec4 a = kept(spreads * min(first, last) + spread), b = kept(spreads * min(second, last) + spread);
    gather(whole, first <= last ? scaled(a, share) : empty_part);
    gather(whole, second <= last ? scaled(b, share) : empty_part);
  }
  return part_of(whole);
}

shared uint counts[counted];

uint finite_count(int spread) { return uint(texel_count) - counts[kinds * spread] - counts[kinds * spread + 1]; }

// Writes what is known of a spread.
void write_spread(int spread, vec4 whole) {
  const uint count = finite_count(spread);
  // a texel's, a thread's and this thread's share of a sum, and that of what is kept
  const float share =
      power_of_two(exponent_over(EACH * round_count) + 8 + 8 + exponent_over((part_count + 255) / 256));
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

void write(vec4 whole[spreads], int thread) {
  if (thread == 0) each_spread write_spread(spread, whole[spread]);
}

// What all workgroups have left, for one of 256 to join.
void take_all(out vec4 own[spreads], int thread) {
  if (thread < counted) {
    counts[thread] = take(counters_at + thread);
    statistics[count_of(statistics_at, 0, 0) + thread] = counts[thread];
  }
  if (thread < bins_counted) statistics[bin_of(statistics_at, thread)] = take(bins_at + thread);
  each_spread own[spread] = part_of_kept(spread, thread);
}
