// One mip level from the level above it. TAPS_X and TAPS_Y: texels a side, 1 to 3.
#include "area_weights.glsl"
#include "mean.glsl"
#include "order.glsl"

#if TAPS_X == 2 && TAPS_Y == 2
vec4 reduce(ivec2 at) {
  const ivec2 from = 2 * at;
  return vec4(mean(real4(load(from)), real4(load(from + ivec2(1, 0))), real4(load(from + ivec2(0, 1))),
                   real4(load(from + ivec2(1, 1)))));
}
#else
vec4 reduce(ivec2 at) {
  const ivec2 from = ivec2(TAPS_X == 1 ? at.x : 2 * at.x, TAPS_Y == 1 ? at.y : 2 * at.y);
  vec4 sum = vec4(0);
  for (int y = 0; y < TAPS_Y; ++y) {
    vec4 row = vec4(0);
    for (int x = 0; x < TAPS_X; ++x) row += load(from + ivec2(x, y)) * area_weight(source_width, at.x, x);
    sum += row * area_weight(source_height, at.y, y);
  }
  return sum;
}
#endif

void main() {
#if AMD_ORDER
  const ivec2 at = ivec2(origin_x, origin_y) + 16 * ivec2(gl_WorkGroupID.xy) + amd_order(int(gl_LocalInvocationIndex));
#else
  const ivec2 at = ivec2(origin_x, origin_y) + ivec2(gl_GlobalInvocationID.xy);
#endif
  if (at.x >= end_x || at.y >= end_y) return;
  store(at, reduce(at));
}
