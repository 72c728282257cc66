// The whole mip chain in one dispatch, for pictures of which the first STEPS levels (3 to 6) halve evenly. A workgroup
// of 256 takes 64x64 texels down STEPS levels; then the workgroups finish the remaining levels together. After the
// Single Pass Downsampler of L. Kramer's talk.
#include "mips/tile.glsl"
#include "mips/handoff.glsl"

void main() {
#if EXCHANGE >= EXCHANGE_QUAD
  const int thread = int(gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID);
#else
  const int thread = int(gl_LocalInvocationIndex);
#endif
  const ivec2 tile_at = ivec2(gl_WorkGroupID.xy) + ivec2(origin_x, origin_y);
  make_tile(tile_at, thread);
#if BLOCK_STEPS
  finish_tile(tile_at, 64 >> STEPS, thread);
#endif
}
