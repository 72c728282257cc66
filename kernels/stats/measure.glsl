// The statistics of a picture. A workgroup of 256 takes tiles of it, `part_count` tiles apart; a thread takes EACH
// texels of a tile at once. Of extremes alone the workgroups' parts go to the host, which joins them. Of all numbers the
// last workgroup to finish makes the whole of all parts, or another pass does.
//
// UNROLLS: a thread's texels stay in registers. What compiles for a CPU would take long over that.
#include "bench/floor_shape.glsl"
#if UNROLLS
#define each_texel [[unroll]] for (int index = 0; index < EACH; ++index)
#else
#define each_texel for (int index = 0; index < EACH; ++index)
#endif
#include "stats/whole.glsl"

#if MEASURE_ALL && ONE_DISPATCH
shared bool is_last;

// Is this workgroup the last of all? Then what the others have kept is visible to it: the count itself acquires it,
// since a fence behind it would be one more wait of the last workgroup.
bool finishes_last(int thread) {
  // results of threads other than the first
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (thread == 0)
    is_last = atomicAdd(scratch_counters[finished_at], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                        gl_SemanticsAcquireRelease) == uint(part_count - 1);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (is_last && thread == 0) scratch_counters[finished_at] = 0;
  return is_last;
}
#endif

// --- what is counted

shared uint shared_counts[counted];
uint found[spreads];  // counts of a thread, one byte per kind

void count_kind(int spread, int kind, bool is_one) { found[spread] += is_one ? 1u << 8 * kind : 0u; }

void gather_counts() {
  each_spread if (found[spread] > 0u)
    for (int kind = 0; kind < kinds; ++kind)
      atomicAdd(shared_counts[kinds * spread + kind], found[spread] >> 8 * kind & 255u);
}

#if MEASURE_ALL
shared uint shared_bins[bin_count];

// The logarithm of a number above 0, which is counted.
float counted_logarithm(float number) {
  const float logarithm = log2(max(number, 1.17549435e-38));  // that of a denormal may be -infinity
  atomicAdd(shared_bins[bin_of_logarithm(logarithm)], 1u);
  return logarithm;
}
#endif

// --- a thread's texels of a tile

vec4 texels[EACH];

// Partial result for texels that are all inside and finite. Otherwise the sum is not finite; values are scaled so that
// sums cannot overflow.
vec4 plain_part(int spread, float share) {
  vec4 part = empty_part;
  each_texel {
    const float number = number_of(spread, texels[index]);
    part.x += share * number;
    part.y = min(part.y, number);
    part.z = max(part.z, number);
  }
  return part;
}

// Whether the partial result has no counted values.
bool is_plain(vec4 part) {
#if MEASURE_ALL
  return abs(part.x) <= most && part.y > 0.0;
#else
  return abs(part.x) <= most;
#endif
}

// Partial result for any texels.
vec4 careful_part(int spread, ivec2 corner, float share) {
  vec4 part = empty_part;
  each_texel {
    const vec4 c = texels[index];
    const bool here = inside(corner + place_in_tile(index));
    const bool finite = here && is_finite(spread, c), nan = is_nan(spread, c);
    // of finite components never over the largest, to which the weights may round up
    const float number = clamp(number_of(spread, c), -most, most);
    count_kind(spread, 0, here && nan);
    count_kind(spread, 1, here && !nan && !finite);
    part.x += finite ? share * number : 0.0;
    part.y = min(part.y, finite ? number : most);
    part.z = max(part.z, finite ? number : -most);
#if MEASURE_ALL
    count_kind(spread, 2, finite && number < 0.0);
    count_kind(spread, 3, finite && number == 0.0);
    if (spread == 0 && finite && number > 0.0) part.w += share * counted_logarithm(number);
#endif
  }
  return part;
}

Whole wholes[spreads];

// Loads the texels of the tile at a corner.
void measure_tile(ivec2 corner, float share) {
  const bool is_whole = all(lessThanEqual(corner + tile_size, ivec2(end_x, end_y)));
  each_spread {
    vec4 part = plain_part(spread, share);
    if (!is_whole || !is_plain(part)) part = careful_part(spread, corner, share);
#if MEASURE_ALL
    else if (spread == 0) each_texel part.w += share * counted_logarithm(number_of(0, texels[index]));
#endif
    gather(wholes[spread], part);
  }
}

void measure_tiles(int group) {
  const float share = share_of(EACH * round_count);
  each_spread wholes[spread] = empty_whole;
  [[dont_unroll]] for (int tile = group; tile < tile_count; tile += part_count) {
    const ivec2 corner = ivec2(tile % tile_columns, tile / tile_columns) * tile_size;
    each_texel texels[index] = load_rgb(min(corner + place_in_tile(index), ivec2(end_x, end_y) - 1));
    measure_tile(corner, share);
  }
}

// --- a workgroup's

// Passes on the results of a workgroup, which are in the first thread.
#if MEASURE_ALL
void hand_on(vec4 own[spreads], int thread, int group) {
  for (int bin = thread; bin < bin_count; bin += 256)
    if (shared_bins[bin] > 0u) add(BINS_AT + bin, shared_bins[bin]);
  if (thread > 0) return;
  each_spread keep(spreads * group + spread, own[spread]);
  for (int index = 0; index < counted; ++index)
    if (shared_counts[index] > 0u) add(counters_at + index, shared_counts[index]);
}
#else
// To the host: 2^-16 of the sum, the least, the largest, and 16 bits a kind of what is counted.
void hand_on(vec4 own[spreads], int thread, int group) {
  if (thread > 0) return;
  const vec4 part = scaled(own[0], power_of_two(exponent_over(EACH * round_count) + 8 - 16));
  const int at = statistics_at + 4 * group;
  for (int k = 0; k < 3; ++k) statistics[at + k] = floatBitsToUint(part[k]);
  statistics[at + 3] = shared_counts[0] | shared_counts[1] << 16;
}
#endif

void clear_counts(int thread) {
  if (thread < counted) shared_counts[thread] = 0;
#if MEASURE_ALL
  for (int bin = thread; bin < bin_count; bin += 256) shared_bins[bin] = 0;
#endif
  each_spread found[spread] = 0;
#if MEASURE_ALL
  barrier();  // bins are counted from the first tile on, everything else after the last tile
#endif
}

void main() {
  const int thread = int(gl_LocalInvocationIndex), group = int(gl_WorkGroupID.x);
  clear_counts(thread);
  measure_tiles(group);
  barrier();
  gather_counts();
  vec4 own[spreads];
  each_spread own[spread] = part_of(wholes[spread]);
#if MEASURE_ALL && ONE_DISPATCH
  // the last workgroup joins what all have left by the instructions that it has joined its own with: others would have
  // to be fetched first
  bool is_of_all = false, is_done = false;
  [[dont_unroll]] while (!is_done) {
    join_group(own, thread);
    if (is_of_all) {
      write(own, thread);
      is_done = true;
    } else {
      hand_on(own, thread, group);
      is_of_all = finishes_last(thread);
      is_done = !is_of_all;
      if (is_of_all) take_all(own, thread);
    }
  }
#else
  join_group(own, thread);
  hand_on(own, thread, group);
#endif
}
