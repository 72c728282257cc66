// The statistics of a picture. A workgroup takes 64x64 texels, a thread sixteen of them, and the last workgroup to
// finish makes the whole of all parts, or another pass does.
//
// UNROLLS: a thread's texels stay in registers. What compiles for a CPU would take long over that.
#include "floor_shape.glsl"
#if UNROLLS
#define each_texel [[unroll]] for (int index = 0; index < EACH; ++index)
#else
#define each_texel for (int index = 0; index < EACH; ++index)
#endif
#include "statistics_parts.glsl"

#if ONE_DISPATCH
shared bool is_last;

// Is this workgroup the last of all? Then what the others have kept is visible to it.
bool finishes_last(int thread) {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (thread == 0)
    is_last = atomicAdd(scratch_counters[finished_at], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                        gl_SemanticsRelease) == uint(part_count - 1);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  if (!is_last) return false;
  if (thread == 0) scratch_counters[finished_at] = 0;
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
  return true;
}
#endif

// Rec. 709 linear; of finite numbers never over the largest, to which their weights may round up.
float luminance_of(vec4 c) {
  return clamp(dot(c.rgb, vec3(0.2126390059, 0.7151686788, 0.0721923154)), -most, most);
}

bvec4 are_finite(vec4 c) { return lessThanEqual(abs(c), vec4(most)); }

// A number as a part of a sixteenth of a thread's sum.
vec4 part_of(float number, bool counts_here) {
  return counts_here ? vec4(number / 16.0, number, number, 0.0) : empty_part;
}

vec4 texels[EACH];
bool inside_at[EACH];

void load_all() {
  const ivec2 edge = ivec2(end_x, end_y) - 1;
  each_texel texels[index] = load_rgb(min(place(index), edge));
  each_texel inside_at[index] = inside(place(index));
}

#if MEASURE_ALL
shared uint shared_counts[counted];
shared uint shared_bins[bin_count];

// Number `spread` of a texel: its luminance, no number where R, G and B are not finite, or a component.
float number_of(int spread, vec4 c) { return spread == 0 ? luminance_of(c) : c[spread - 1]; }

// Is R, G or B (of the luminance), or the component, not-a-number, or infinite?
bool is_nan(int spread, vec4 c) { return spread == 0 ? any(isnan(c.rgb)) : isnan(c[spread - 1]); }
bool is_finite(int spread, vec4 c) {
  const bvec4 finite = are_finite(c);
  return spread == 0 ? all(finite.rgb) : finite[spread - 1];
}

vec4 part_of_thread(int spread) {
  vec4 sums[4] = {empty_part, empty_part, empty_part, empty_part};
  uvec4 found = uvec4(0);
  each_texel {
    const vec4 c = texels[index];
    const float number = number_of(spread, c);
    const bool finite = is_finite(spread, c), here = inside_at[index];
    vec4 part = part_of(number, finite && here);
    found += uvec4(is_nan(spread, c), !finite && !is_nan(spread, c), finite && number < 0.0, finite && number == 0.0) *
             uint(here);
    if (spread == 0 && finite && here && number > 0.0) {
      const float logarithm = log2(number);
      part.w = logarithm / 16.0;
      atomicAdd(shared_bins[bin_of_logarithm(logarithm)], 1u);
    }
    sums[index & 3] = joined(sums[index & 3], part);
  }
  for (int kind = 0; kind < 4; ++kind)
    if (found[kind] > 0u) atomicAdd(shared_counts[4 * spread + kind], found[kind]);
  return joined(joined(sums[0], sums[1]), joined(sums[2], sums[3]));
}

void measure(int thread, int group) {
  if (thread < counted) shared_counts[thread] = 0;
  shared_bins[thread] = 0;
  barrier();
  [[unroll]] for (int spread = 0; spread < spreads; ++spread) {
    const vec4 part = joined_in_group(part_of_thread(spread), thread);
    if (thread == 0) keep(spreads * group + spread, part);
  }
  if (thread < counted && shared_counts[thread] > 0u) add(counters_at + thread, shared_counts[thread]);
  if (shared_bins[thread] > 0u) add(bins_at + thread, shared_bins[thread]);
}
#else
void measure(int thread, int group) {
  vec4 sums[4] = {empty_part, empty_part, empty_part, empty_part};
  uint nan_count = 0, infinite_count = 0;
  each_texel {
    const vec4 c = texels[index];
    const bool finite = all(are_finite(c).rgb);
    if (!finite && inside_at[index]) {
      const bool is_nan = any(isnan(c.rgb));
      nan_count += uint(is_nan);
      infinite_count += uint(!is_nan);
    }
    sums[index & 3] = joined(sums[index & 3], part_of(luminance_of(c), finite && inside_at[index]));
  }
  if (nan_count > 0u) add(counters_at, nan_count);
  if (infinite_count > 0u) add(counters_at + 1, infinite_count);
  const vec4 part = joined_in_group(joined(joined(sums[0], sums[1]), joined(sums[2], sums[3])), thread);
  if (thread == 0) keep(group, part);
}
#endif

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  load_all();
  measure(thread, int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x));
#if ONE_DISPATCH
  if (finishes_last(thread)) finish(thread);
#endif
}
