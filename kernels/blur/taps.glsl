// One axis of a separable blur: for each texel, sums the texels of the line. A thread makes one texel; ORDER decides which
// one.
#include "blur/border.glsl"
#include "lib/group_order.glsl"

#if AXIS == AXIS_X
const ivec2 next = ivec2(1, 0);
#define radius radius_x
#else
const ivec2 next = ivec2(0, 1);
#define radius radius_y
#endif

// Weighted sum of the line's texels around `at`; the first pass halves it.
vec4 line_sum(ivec2 at) {
  vec4 sum = vec4(0.0);
#if AXIS == AXIS_X
  for (int k = -radius; k <= radius; ++k) sum += table[radius + k] * texel(at + k * next);
#elif IS_FIRST
  // the single weight along x is 1/2
  for (int k = -radius; k <= radius; ++k) sum += table[1 + radius + k] * (table[0] * texel(at + k * next));
#else
  for (int k = -radius; k <= radius; ++k) sum += table[2 * radius_x + 1 + radius + k] * texel(at + k * next);
#endif
  return sum;
}

void main() {
  const ivec2 at = ivec2(GROUP_X, GROUP_Y) * ivec2(gl_WorkGroupID.xy) + place_in_group(int(gl_LocalInvocationIndex));
  vec4 sum = line_sum(at);
#if IS_LAST
  sum = finished(sum, at);
#endif
  if (at.x < width && at.y < height) store(at, sum);
}
