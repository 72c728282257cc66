// Counts the samples of a level by the least scale that brings them through the alpha test; at level 0 those that are
// let through as they are. A sample let through by one scale is let through by all larger ones, so the counts of all
// scales are sums of these. A workgroup takes 64x16 places between four texels, a thread a column of them.
#include "mips/coverage.glsl"

#if IS_BASE
shared uint covered;
#else
shared uint bins[SCALE_COUNT];
#endif

// Alpha of the texels at `at` and to its right; NaN becomes 0.
vec2 alphas(ivec2 at) {
  const ivec2 last = ivec2(width, height) - 1;
  const vec2 a = vec2(load(min(at, last)).a, load(min(at + ivec2(1, 0), last)).a);
  return vec2(a.x > 0.0 ? a.x : 0.0, a.y > 0.0 ? a.y : 0.0);
}

// Weighted mean of four alphas, each scaled and clamped first.
float sample_of(vec4 a, vec4 weights, float scale) { return dot(weights, min(scale * a, vec4(1.0))); }

void count(vec4 a) {
  for (int k = 0; k < 16; ++k) {
    const vec2 t = (2.0 * vec2(k & 3, k >> 2) + 1.0) / 8.0;
    const vec4 weights = vec4(1.0 - t.x, t.x, 1.0 - t.x, t.x) * vec4(1.0 - t.y, 1.0 - t.y, t.y, t.y);
#if IS_BASE
    if (sample_of(a, weights, 1.0) >= reference) atomicAdd(covered, 1u);
#else
    int failed = 0;
    for (int digit = 9; digit >= 0; --digit)
      if (sample_of(a, weights, scale_at(failed + (1 << digit))) < reference) failed += 1 << digit;
    if (failed < SCALE_COUNT - 1) atomicAdd(bins[failed], 1u);
#endif
  }
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
#if IS_BASE
  if (thread == 0) covered = 0;
#else
  for (int k = 0; k < SCALE_COUNT; k += 64) bins[k + thread] = 0;
#endif
  barrier();
  const ivec2 places = max(ivec2(width, height) - 1, 1);  // with one texel per side, it is its own neighbor
  const ivec2 corner = ivec2(64, 16) * ivec2(gl_WorkGroupID.xy) + ivec2(thread, 0);
  vec2 above = alphas(corner);
  for (int row = 0; row < 16; ++row) {
    const ivec2 at = corner + ivec2(0, row);
    const vec2 below = alphas(at + ivec2(0, 1));
    if (all(lessThan(at, places))) count(vec4(above, below));
    above = below;
  }
  barrier();
#if IS_BASE
  if (thread == 0) atomicAdd(statistics[counts_at], covered);
#else
  for (int k = 0; k < SCALE_COUNT; k += 64)
    if (bins[k + thread] != 0u) atomicAdd(statistics[bins_of(level) + k + thread], bins[k + thread]);
#endif
}
