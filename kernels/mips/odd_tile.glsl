// Levels 1 to STEPS + 2 of an image of which only the first STEPS levels halve evenly. A workgroup of 256 takes 64x64 texels down
// STEPS levels. It also makes the texels of level STEPS to the right and below that the next two levels need of its
// neighbors. So no workgroup waits for another.
#include "mips/tile.glsl"

const int pitch = TILE_SIDE + HALO_X;  // of level STEPS in shared memory
const ivec2 next_count = TILE_SIDE / 2 + ivec2(HALO_X, HALO_Y) / 2;  // texels of the next level

// Makes texels of level STEPS to the right and below. Sixteen threads make one.
void make_halo(ivec2 tile_at, int thread) {
  const int below = HALO_Y * pitch, count = below + TILE_SIDE * HALO_X;
  [[unroll]] for (int first = 0; first < count; first += 16) {
    const int index = first + (thread >> 4), beside = index - below;
    const ivec2 place = index < below ? ivec2(index % pitch, TILE_SIDE + index / pitch)
                                      : ivec2(TILE_SIDE + beside % max(HALO_X, 1), beside / max(HALO_X, 1));
    if (index < count) {
      const ivec2 at = 4 * (TILE_SIDE * tile_at + place) + amd_order(thread & 15);
      const real4 c = reduce_four_quads(reduce_quad(first_level(at)));
      if ((thread & 15) == 0) tile[KEPT_AT + place.y * pitch + place.x] = c;
    }
  }
}

void main() {
  const int thread = int(gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID);
  const ivec2 tile_at = ivec2(gl_WorkGroupID.xy) + ivec2(origin_x, origin_y);
  make_halo(tile_at, thread);
  make_tile(tile_at, thread);
  barrier();
  Above above = Above(level_size(STEPS), TILE_SIDE * tile_at, pitch, KEPT_AT);
  const ivec2 place = place_in_rows(thread, next_count.x);
  ivec2 at = TILE_SIDE / 2 * tile_at + place;
  if (thread < next_count.x * next_count.y && inside(at, level_size(STEPS + 1))) {
    const vec4 c = reduce(in_shared, above, at);
    tile[NEXT_AT + thread] = real4(c);
    if (inside(place, ivec2(TILE_SIDE / 2))) store_level(STEPS + 1, at, c);
  }
  barrier();
  above = Above(level_size(STEPS + 1), TILE_SIDE / 2 * tile_at, next_count.x, NEXT_AT);
  at = TILE_SIDE / 4 * tile_at + ivec2(thread & 1, thread >> 1);
  if (thread < 4 && inside(at, level_size(STEPS + 2))) store_level(STEPS + 2, at, reduce(in_shared, above, at));
}
