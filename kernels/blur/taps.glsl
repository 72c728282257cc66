// One axis of a separable blur: every texel of the kernel's line for every texel of the picture, or two neighbors of
// it at once through a linear sampler. A thread makes one; which one of its workgroup is a choice of order.
#include "blur/border.glsl"
#include "lib/group_order.glsl"

#if AXIS == 0
const ivec2 next = ivec2(1, 0);
#define radius radius_x
#else
const ivec2 next = ivec2(0, 1);
#define radius radius_y
#endif

// The weighted sum of the line's texels around `at`; half of it if this pass is the first.
vec4 line_sum(ivec2 at) {
  vec4 sum = vec4(0.0);
#if PAIRS
  // table: the place of a pair and its weight, and so on
  for (int pair = 0; pair <= radius; ++pair)
    sum += table[2 * pair + 1] * textureLod(source, vec2(at) + 0.5 + table[2 * pair] * vec2(next), 0.0);
#elif AXIS == 0
  for (int k = -radius; k <= radius; ++k) sum += table[radius + k] * texel(at + k * next);
#elif IS_FIRST
  // the only weight along x is a half
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
