// How workgroups that finish their tile go on without waiting for each other. Tiles make the levels down to STEPS.
// Whoever finishes the last of the tiles that a block of level STEPS reads makes that block, down BLOCK_STEPS levels;
// whoever finishes the last block makes the rest.
#include "mips_levels.glsl"
#include "mips_block.glsl"

#if BLOCK_STEPS
shared uint finished_before;

const int block_level = STEPS + BLOCK_STEPS;

// Counters stand at the front of the scratch buffer, the first one for blocks, then one for each block; behind them
// level STEPS, level block_level, and the levels below where they need room.
int scratch_offset(int level) {
  int offset = texel_offset;
  if (level > STEPS) offset += level_size(STEPS).x * level_size(STEPS).y;
  for (int above = block_level; above < level; ++above) offset += level_size(above).x * level_size(above).y;
  return offset;
}

void keep(ivec2 at, vec4 c) { scratch_texels[texel_offset + at.y * level_size(STEPS).x + at.x] = c; }

// Counts this workgroup at `counter`. True in all its threads when it is the last of `count`; what the others wrote to
// the scratch buffer before is then visible: a write of a coherent buffer is made available by itself, the barrier
// orders the workgroup's writes before the atomic, which releases them, and only the last workgroup acquires, which
// empties caches.
bool is_last_of(int count, int counter, int thread) {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (thread == 0)
    finished_before = atomicAdd(scratch_counters[counter], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                                gl_SemanticsRelease);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  if (finished_before != uint(count - 1)) return false;
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
  return true;
}

#if TAIL
// All levels below block_level, by one workgroup. A level of at most TAIL_TEXELS stays in shared memory, where two
// halves are written in turn; larger ones go through the scratch buffer.
void make_tail(int thread) {
  Above above = Above(level_size(block_level), ivec2(0), level_size(block_level).x, scratch_offset(block_level));
  bool from_shared = false;
  int half_used = 1;  // of shared memory
  for (int level = block_level + 1; level < level_count; ++level) {
    const ivec2 size = level_size(level);
    const int count = size.x * size.y;
    const bool is_shared = count <= (half_used == 1 ? TAIL_TEXELS : TAIL_TEXELS / 2);
    const int offset = !is_shared ? scratch_offset(level) : half_used == 1 ? 0 : TAIL_TEXELS;
    for (int first = 0; first < count; first += 256) {
      const int index = first + thread;
      if (index < count) {
        const ivec2 at = ivec2(index % size.x, index / size.x);
        const vec4 c = from_shared ? reduce(in_shared, above, at) : reduce(in_scratch, above, at);
        store_level(level, at, c);
        if (is_shared) tile[offset + index] = real4(c);
        else scratch_texels[offset + index] = c;
      }
    }
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
    if (is_shared) half_used = 1 - half_used;
    above = Above(size, ivec2(0), size.x, offset);
    from_shared = is_shared;
  }
}
#endif

// Tiles that own a texel of `range` of level STEPS; the last of a row or column owns all that is left.
int tiles_of(Range range, int side, ivec2 tiles) {
  const ivec2 low = min(range.low / side, tiles - 1), high = min((range.high - 1) / side, tiles - 1);
  return (high.x - low.x + 1) * (high.y - low.y + 1);
}

bool reads_tile(Range range, ivec2 tile_at, int side, ivec2 tiles) {
  const ivec2 low = min(range.low / side, tiles - 1), high = min((range.high - 1) / side, tiles - 1);
  return all(greaterThanEqual(tile_at, low)) && all(lessThanEqual(tile_at, high));
}

// What is left to do for the workgroup that has made tile `tile_at`, whose own part of level STEPS is `side` texels
// wide.
void finish_tile(ivec2 tile_at, int side, int thread) {
  const ivec2 tiles = ivec2(tiles_x, tiles_y), grid = block_grid(STEPS, BLOCK_STEPS);
  const ivec2 own = min(tile_at * side / 32, grid - 1);
  // a block reads its own texels and some to the right and below: the tile's own block reads it, perhaps those before
  for (int near = 0; near < 4; ++near) {
    const ivec2 block_at = own - ivec2(near & 1, near >> 1);
    if (any(lessThan(block_at, ivec2(0)))) continue;
    const Range range = block_range(STEPS, BLOCK_STEPS, block_at);
    if (!reads_tile(range, tile_at, side, tiles)) continue;
    if (!is_last_of(tiles_of(range, side, tiles), 1 + block_at.y * grid.x + block_at.x, thread)) continue;
    make_block(STEPS, BLOCK_STEPS, block_at, texel_offset, TAIL == 1 ? scratch_offset(block_level) : -1, thread);
#if TAIL
    if (is_last_of(grid.x * grid.y, 0, thread)) make_tail(thread);
#endif
  }
}
#endif
