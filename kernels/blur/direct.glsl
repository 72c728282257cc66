// Direct blur: for each texel, sums all texels of the kernel. A thread makes one texel; ORDER decides which one.
// RADIUS_X, RADIUS_Y: the radii as constants, for GPUs, so that the compiler can issue more loads at once.
#include "blur/border.glsl"
#include "lib/group_order.glsl"

#ifndef RADIUS_X
#define RADIUS_X radius_x
#define RADIUS_Y radius_y
#endif

// The texel x columns to the side, with its weight. The sampler clamps. All weights of a box are equal, but compilers may move a
// common factor out of a sum, which then overflows if the image has floats.
vec4 weighted(ivec2 at, int x) {
#if HAS_COMMON_WEIGHT
  const float weight = table[0];
#else
  const float weight = table[RADIUS_X + x];
#endif
#if BORDER == BORDER_CLAMP
  return weight * loaded(textureLod(source, vec2(at) + vec2(float(x) + 0.5, 0.5), 0.0));
#else
  return weight * texel(at + ivec2(x, 0));
#endif
}

void main() {
  const ivec2 at = ivec2(GROUP_X, GROUP_Y) * ivec2(gl_WorkGroupID.xy) + place_in_group(int(gl_LocalInvocationIndex));
  vec4 sum = vec4(0.0);
  for (int y = -RADIUS_Y; y <= RADIUS_Y; ++y) {
    vec4 row = vec4(0.0);
    for (int x = -RADIUS_X; x <= RADIUS_X; ++x) row += weighted(at + ivec2(0, y), x);
    sum += table[2 * RADIUS_X + 1 + RADIUS_Y + y] * row;
  }
  if (at.x < width && at.y < height) store(at, finished(sum, at));
}
