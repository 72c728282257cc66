// Makes a level of the bright light from the level above, with the tents of bloom/tents.glsl. TAPS_X, TAPS_Y: texels
// read per axis. A thread makes TALL texels in a column, which share loads; a workgroup has 16 columns of 16 threads. `begin`
// and `whole` are those of bloom/spread.glsl.
#include "bloom/tents.glsl"
#include "lib/storage.glsl"

// A CPU device compiles an unrolled loop four times as long, and is not faster with it.
#if UNROLLS == 1
#define UNROLL_ROWS [[unroll]]
#else
#define UNROLL_ROWS
#endif

vec3 row_sum(int column, int row, float weights[5]) {
  vec3 sum = vec3(0.0);
  [[unroll]] for (int tap = 0; tap < TAPS_X; ++tap)
    sum += weights[tap] * load(ivec2(clamp(column + tap, 0, from_x - 1), row)).rgb;
  return sum;
}

// weights[tap] by comparisons, for loops over rows that are not unrolled.
float weight_of(float weights[5], int tap) {
  float found = 0.0;
  [[unroll]] for (int k = 0; k < TAPS_Y; ++k) found = tap == k ? weights[k] : found;
  return found;
}

void main() {
  const ivec2 at = ivec2(16, 16 * TALL) * ivec2(gl_WorkGroupID.xy) +
                   ivec2(gl_LocalInvocationIndex & 15u, TALL * (gl_LocalInvocationIndex >> 4));
  if (at.x >= end_x || at.y >= end_y) return;
  const float across[5] = weights_down(whole_from_x, whole_end_x, begin_x + at.x);
  float down[TALL][5];
  vec3 sums[TALL];
  [[unroll]] for (int k = 0; k < TALL; ++k) {
    down[k] = weights_down(whole_from_y, whole_end_y, begin_y + min(at.y + k, end_y - 1));
    sums[k] = vec3(0.0);
  }
  UNROLL_ROWS for (int row = 0; row < 2 * (TALL - 1) + TAPS_Y; ++row) {
    const vec3 sum = row_sum(2 * at.x - 1, clamp(2 * at.y - 1 + row, 0, from_y - 1), across);
    [[unroll]] for (int k = 0; k < TALL; ++k)
      if (row >= 2 * k && row < 2 * k + TAPS_Y) sums[k] += weight_of(down[k], row - 2 * k) * sum;
  }
  [[unroll]] for (int k = 0; k < TALL; ++k)
    if (at.y + k < end_y) store(at + ivec2(0, k), vec4(clamp(sums[k], vec3(-largest_float), vec3(largest_float)), 1.0));
}
