// The whole mip chain in one dispatch, for any size. Workgroups of 256 reduce blocks of 32x32 texels by STEPS levels,
// then finish together.
#include "mips/handoff.glsl"

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 tile_at = ivec2(gl_WorkGroupID.xy) + ivec2(origin_x, origin_y);
#if BLOCK_STEPS
  make_block(0, STEPS, tile_at, 0, texel_offset, thread);
  finish_tile(tile_at, 32 >> STEPS, thread);
#else
  make_block(0, STEPS, tile_at, 0, -1, thread);
#endif
}
