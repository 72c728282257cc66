// Joins the partial results of workgroups on the device. ONE_DISPATCH: they are in the scratch buffer, otherwise in the
// statistics.
#include "stats/parts.glsl"

#if MEASURE_ALL

// Layout of the scratch buffer: number of finished workgroups, counts, then partial results. Counts are 0 again at the
// end.
const int finished_at = 0, counters_at = 4;
const int parts_at = BINS_AT + bin_count;

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

// --- the whole

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

// Writes the results of a channel.
void write_spread(int spread, vec4 whole) {
  const uint count = finite_count(spread);
  // a texel's, a thread's and this thread's share of a sum, and that of what is kept
  const float share =
      power_of_two(exponent_over(EACH * round_count) + 8 + 8 + exponent_over((part_count + 255) / 256));
  const float mean = count > 0u ? clamp(whole.x * (share / float(count)), whole.y, whole.z) : 0.0;
  statistics[mean_of(statistics_at, spread)] = floatBitsToUint(mean);
  statistics[least_of(statistics_at, spread)] = floatBitsToUint(count > 0u ? whole.y : 0.0);
  statistics[largest_of(statistics_at, spread)] = floatBitsToUint(count > 0u ? whole.z : 0.0);
  if (spread > 0) return;
  const uint positive_count = count - counts[2] - counts[3];
  const float log_average = positive_count > 0u ? exp2(whole.w * (share / float(positive_count))) : 0.0;
  statistics[log_average_of(statistics_at)] = floatBitsToUint(log_average);
}

void write(vec4 whole[spreads], int thread) {
  if (thread == 0) each_spread write_spread(spread, whole[spread]);
}

// Joins the results of all workgroups, in one workgroup of 256.
void take_all(out vec4 own[spreads], int thread) {
  if (thread < counted) {
    counts[thread] = take(counters_at + thread);
    statistics[count_of(statistics_at, 0, 0) + thread] = counts[thread];
  }
  for (int bin = thread; bin < bin_count; bin += 256) statistics[bin_of(statistics_at, bin)] = take(BINS_AT + bin);
  each_spread own[spread] = part_of_kept(spread, thread);
}

#endif
