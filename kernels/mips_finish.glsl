// How workgroups that finish their tile go on without waiting for each other. Tiles make the levels down to STEPS.
// Whoever finishes the last of the tiles that a block of level STEPS reads makes that block, down BLOCK_STEPS levels;
// whoever finishes the last block makes the rest. Where the picture goes on in exact halves, a block is 64x64 texels and
// taken down as tiles are (BLOCK_EVEN, mips_tile.glsl).
#include "mips_block.glsl"

#if BLOCK_STEPS
shared uint finished_before[4];

// Counts this workgroup at one counter for each thread that has a `counter`, all at once: finished_before[thread] says
// how many were there before. What the others wrote to the scratch buffer before is visible to a workgroup that acquires
// it: a write of a coherent buffer is made available by itself, the barrier orders the workgroup's writes before the
// atomic, which releases them, and only a workgroup that is the last acquires, which empties caches.
void count(int counter, int thread) {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (counter >= 0)
    finished_before[thread] = atomicAdd(scratch_counters[counter], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                                        gl_SemanticsRelease);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

// To be called by a workgroup that was the last at `counter`, which is 0 again for the next run.
void acquire(int counter, int thread) {
  if (thread == 0) scratch_counters[counter] = 0;
#ifndef WITHOUT_ACQUIRE  // a fault that a test asks for
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
#endif
}

#if TAIL
// All levels below block_level, by one workgroup. A level of at most TAIL_TEXELS stays in shared memory, where two
// halves are written in turn; larger ones go through the scratch buffer.
void make_tail(int thread) {
  Above above = Above(level_size(block_level), ivec2(0), level_size(block_level).x, tail_offset());
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
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
    if (is_shared) half_used = 1 - half_used;
    above = Above(size, ivec2(0), size.x, offset);
    from_shared = is_shared;
  }
}
#endif

#if BLOCK_EVEN
const int block_side = 64;
#else
const int block_side = 32;
#endif

// Blocks, in columns and rows.
ivec2 grid_of_blocks() {
  const int side = block_side >> BLOCK_STEPS;
  return (level_size(block_level) + side - 1) / side;
}

// The texels of level STEPS that a block reads.
Range block_needs(ivec2 block_at) {
#if BLOCK_EVEN
  return Range(block_at * block_side, min((block_at + 1) * block_side, level_size(STEPS)));
#else
  return block_range(STEPS, BLOCK_STEPS, block_at);
#endif
}

// Tiles from the first to behind the last that own a texel of `range`, each `side` texels wide; the last of a row or
// column owns all that is left.
Range tiles_of(Range range, int side) {
  const ivec2 last = ivec2(tiles_x, tiles_y) - 1;
  return Range(min(range.low / side, last), min((range.high - 1) / side, last) + 1);
}

// The block that the tile brings nearer to its end as the `near`-th of four, and its counter; -1 where there is none: the
// tile lies in its own block, and those to the left and above may read it too.
struct Neighbour {
  ivec2 block_at;
  int tile_count;  // of which it is made
  int counter;
};
Neighbour neighbour(ivec2 tile_at, int side, int near) {
  const ivec2 grid = grid_of_blocks();
  const ivec2 block_at = min(tile_at * side / block_side, grid - 1) - ivec2(near & 1, near >> 1);
  if (any(lessThan(block_at, ivec2(0)))) return Neighbour(block_at, 0, -1);
  const Range tiles = tiles_of(block_needs(block_at), side);
  const bool is_read = all(greaterThanEqual(tile_at, tiles.low)) && all(lessThan(tile_at, tiles.high));
  const ivec2 count = tiles.high - tiles.low;
  return Neighbour(block_at, count.x * count.y, is_read ? 1 + block_at.y * grid.x + block_at.x : -1);
}

#ifdef DELAYS
// For a test: holds the workgroup up, each by another while.
void delay(ivec2 tile_at) {
  uint hash = uint(tile_at.y * tiles_x + tile_at.x) * 2654435761u + uint(delay_seed) * 2246822519u;
  hash = (hash ^ (hash >> 15)) * 3266489917u;
  const uint turns = (hash >> 16) & 127u;
  for (uint turn = 0; turn < turns; ++turn)
    if (scratch_counters[0] == 0xffffffffu) return;
}
#endif

// What is left to do for the workgroup that has made tile `tile_at`, whose own part of level STEPS is `side` texels
// wide.
void finish_tile(ivec2 tile_at, int side, int thread) {
#if BLOCK_EVEN
  const int most_near = 1;
#else
  const int most_near = 4;
#endif
#ifdef DELAYS
  delay(tile_at);
#endif
  count(thread < most_near ? neighbour(tile_at, side, thread).counter : -1, thread);
  uint before[most_near];
  for (int near = 0; near < most_near; ++near) before[near] = finished_before[near];
  for (int near = 0; near < most_near; ++near) {
    const Neighbour block = neighbour(tile_at, side, near);
    if (block.counter < 0 || before[near] != uint(block.tile_count - 1)) continue;
    acquire(block.counter, thread);
#if BLOCK_EVEN
    make_tile(STEPS, BLOCK_STEPS, block.block_at, thread);
#else
    make_block(STEPS, BLOCK_STEPS, block.block_at, texel_offset, TAIL == 1 ? tail_offset() : -1, thread);
#endif
#if TAIL
    count(thread == 0 ? 0 : -1, thread);
    const ivec2 grid = grid_of_blocks();
    if (finished_before[0] == uint(grid.x * grid.y - 1)) {
      acquire(0, thread);
      make_tail(thread);
    }
#endif
  }
}
#endif
