// Makes one mip level from the level above. TAPS_X and TAPS_Y: texels per axis, 1 to 3.
#include "mips/reduce_area.glsl"
#include "lib/order.glsl"

#if TAPS_X == 2 && TAPS_Y == 2
vec4 reduce(ivec2 at) {
  const ivec2 from = 2 * at;
  return vec4(reduce_four(real4(load(from)), real4(load(from + ivec2(1, 0))), real4(load(from + ivec2(0, 1))),
                          real4(load(from + ivec2(1, 1)))));
}
#else
vec4 reduce(ivec2 at) {
  const ivec2 from = ivec2(TAPS_X == 1 ? at.x : 2 * at.x, TAPS_Y == 1 ? at.y : 2 * at.y);
  vec4 texels[9];
  texels[0] = load(from);
  for (int index = 1; index < 9; ++index) {
    const ivec2 tap = ivec2(index % 3, index / 3);
    texels[index] = tap.x < TAPS_X && tap.y < TAPS_Y ? load(from + tap) : uncovered(texels[0]);
  }
  return reduce_area(texels, ivec2(source_width, source_height), at + ivec2(first_x, first_y));
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
