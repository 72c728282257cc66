// The whole mip chain in one dispatch, for pictures of which the first STEPS levels (3 to 6) halve evenly. A workgroup
// of 256 takes 64x64 texels down STEPS levels: level 1 in registers, level 2 by quads or shared memory, the others in
// shared memory with the working threads packed at the front. Then the workgroups finish the remaining levels together.
// After the Single Pass Downsampler of L. Kramer's talk; entry j of a level is the mean of the entries 4j to 4j+3 of
// the level above, since its order is one of quads at every level.
#include "mean.glsl"
#include "order.glsl"
#include "mips_finish.glsl"

// Texel `at` of level 1 from the picture. Tiles at the right and lower edge reach outside: those reads are clamped, and
// nothing inside is made of them.
real4 level_one(ivec2 at) {
  const ivec2 edge = ivec2(width, height) - 1;
  const ivec2 low = min(2 * at, edge), high = min(2 * at + 1, edge);
  return mean(real4(load(low)), real4(load(ivec2(high.x, low.y))), real4(load(ivec2(low.x, high.y))),
              real4(load(high)));
}

#if QUADS
real4 quad_mean(real4 c) {
  return mean(c, subgroupQuadSwapHorizontal(c), subgroupQuadSwapVertical(c), subgroupQuadSwapDiagonal(c));
}
#endif

// Entry `index` of the workgroup's share of `level`: stored, and kept for those who go on.
void emit(int level, ivec2 tile_at, int index, real4 c) {
  const ivec2 at = tile_at * (64 >> level) + (amd_order(index << (2 * (level - 1))) >> (level - 1));
  if (!inside(at, level_size(level))) return;
  store_level(level, at, vec4(c));
#if BLOCK_STEPS
  if (level == STEPS) keep(at, vec4(c));
#endif
}

void main() {
#if QUADS
  const int thread = int(gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID);
#else
  const int thread = int(gl_LocalInvocationIndex);
#endif
  const ivec2 tile_at = ivec2(gl_WorkGroupID.xy) + ivec2(origin_x, origin_y);

  real4 quarter[4];  // one texel of level 1 in each quarter of the tile
  for (int q = 0; q < 4; ++q) {
    const int index = 256 * q + thread;
    quarter[q] = level_one(tile_at * 32 + amd_order(index));
    emit(1, tile_at, index, quarter[q]);
  }

#if STEPS >= 2
#if QUADS
  // Each lane of a quad keeps the mean of another quarter: all 256 threads then hold one texel of level 2.
  for (int q = 0; q < 4; ++q) quarter[q] = quad_mean(quarter[q]);
  const int lane = thread & 3;
  const real4 two = lane < 2 ? (lane == 0 ? quarter[0] : quarter[1]) : (lane == 2 ? quarter[2] : quarter[3]);
  const int two_index = 64 * lane + (thread >> 2);
  const int two_offset = 0;
#else
  for (int q = 0; q < 4; ++q) tile[256 * q + thread] = quarter[q];
  barrier();
  const real4 two = mean(tile[4 * thread], tile[4 * thread + 1], tile[4 * thread + 2], tile[4 * thread + 3]);
  const int two_index = thread;
  const int two_offset = 1024;
#endif
  emit(2, tile_at, two_index, two);
#endif

#if STEPS >= 3
  tile[two_offset + two_index] = two;
  int from = two_offset;
  int count = 64;
  for (int level = 3; level <= STEPS; ++level) {
    barrier();
    if (thread < count) {
      const int first = from + 4 * thread;
      const real4 c = mean(tile[first], tile[first + 1], tile[first + 2], tile[first + 3]);
      emit(level, tile_at, thread, c);
      tile[from + 4 * count + thread] = c;
    }
    from += 4 * count;
    count >>= 2;
  }
#endif

#if BLOCK_STEPS
  finish_tile(tile_at, 64 >> STEPS, thread);
#endif
}
