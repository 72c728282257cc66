// How workgroups that finish their tile go on without waiting for each other. Tiles make the levels down to STEPS.
// Whoever finishes the last of the tiles that a block of level STEPS reads makes that block, down BLOCK_STEPS levels;
// whoever finishes the last block makes the rest. Where the picture goes on in exact halves (BLOCK_EVEN), a block is
// 64x64 texels and can do up to six levels, else it is one of mips_block.glsl.
#include "mips/block.glsl"

#if BLOCK_STEPS
// Whether this workgroup was the last at each of its counters: four for blocks, one for the tail.
const int tail_slot = 4;
shared bool is_last_at[5];

// Counts this workgroup at one counter for each thread that has a `slot`, all at once; `last` is what the counter says
// to the last workgroup of all, and a counter of -1 has no last. What the others wrote to the scratch buffer before is
// visible to a workgroup that acquires it: a write of a coherent buffer is made available by itself, the barrier
// orders the workgroup's writes before the atomic, which releases them, and only a workgroup that is the last
// acquires, which empties caches.
void count(int slot, int counter, int last) {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (slot >= 0)
    is_last_at[slot] = counter >= 0 && atomicAdd(scratch_counters[counter], 1u, gl_ScopeQueueFamily,
                                                 gl_StorageSemanticsBuffer, gl_SemanticsRelease) == uint(last);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

#if BLOCK_EVEN
// Counts a tile at the counter of its block. Thread 0 wrote the tile's only texel of level STEPS, so that it needs no
// barrier to release it. It acquires for all threads, which then read the scratch buffer by coherent loads. That is
// faster than a fence in each thread.
void count_even_tile(int counter, int last, int thread) {
  if (thread == 0) {
    is_last_at[0] = atomicAdd(scratch_counters[counter], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                              gl_SemanticsRelease) == uint(last);
    if (is_last_at[0]) {
      scratch_counters[counter] = 0;  // for the next run
#ifndef WITHOUT_ACQUIRE  // fault injection for a test
      memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
#endif
    }
  }
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
}
#endif

// Call it in the workgroup that was the last at `counter`. Resets the counter for the next run.
void acquire(int counter, int thread) {
  if (thread == 0) scratch_counters[counter] = 0;
#ifndef WITHOUT_ACQUIRE  // fault injection for a test
  // The fence orders the thread that counted behind the others' releases; the control barrier orders all threads of the
  // workgroup behind that one.
  memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeVisible);
#endif
}

#if BLOCK_EVEN
// Stores a texel of a block at level STEPS + step, and keeps it for the tail.
void emit_of_block(int step, ivec2 block_at, ivec2 place, vec4 c) {
  const int level = STEPS + step;
  const ivec2 at = block_at * (64 >> step) + place;
  if (!inside(at, level_size(level))) return;
  store_level(level, at, c);
#if TAIL
  if (level == block_level) scratch_texels[tail_offset() + at.y * level_size(level).x + at.x] = c;
#endif
}

// Mean of four texels at `corner` of level STEPS. Reads outside the image are clamped.
real4 reduce_kept(ivec2 corner) {
  const ivec2 size = level_size(STEPS);
  const ivec2 low = min(corner, size - 1), high = min(corner + 1, size - 1);
  const int top = texel_offset + low.y * size.x, bottom = texel_offset + high.y * size.x;
  return reduce_four(real4(scratch_texels[top + low.x]), real4(scratch_texels[top + high.x]),
                     real4(scratch_texels[bottom + low.x]), real4(scratch_texels[bottom + high.x]));
}

// A thread makes a 2x2 of the first level and one texel of the second, the rest is made in shared memory, in place. All
// reads are requested before the first is used.
void make_even_block(ivec2 block_at, int thread) {
  const ivec2 place = ivec2(thread & 15, thread >> 4);
  real4 made[4];
  [[unroll]] for (int q = 0; q < 4; ++q)
    made[q] = reduce_kept(64 * block_at + 2 * (2 * place + ivec2(q & 1, q >> 1)));
  [[unroll]] for (int q = 0; q < 4; ++q)
    emit_of_block(1, block_at, 2 * place + ivec2(q & 1, q >> 1), vec4(made[q]));
  const vec4 second = vec4(reduce_four(made[0], made[1], made[2], made[3]));
  if (BLOCK_STEPS >= 2) emit_of_block(2, block_at, place, second);
  tile[thread] = real4(second);
  [[dont_unroll]] for (int step = 3; step <= BLOCK_STEPS; ++step) {
    barrier();
    const int spread = step - 3;  // for the level above: texel x is at x << spread
    if (thread < 4096 >> (2 * step)) {
      const int log_side = 6 - step;
      const ivec2 at = ivec2(thread & ((1 << log_side) - 1), thread >> log_side);
      const int first = ((2 * at.y) << (spread + 4)) + ((2 * at.x) << spread);
      const int right = 1 << spread, down = 16 << spread;
      const real4 c = reduce_four(tile[first], tile[first + right], tile[first + down], tile[first + right + down]);
      emit_of_block(step, block_at, at, vec4(c));
      tile[first] = c;
    }
  }
}
#endif

#if TAIL
// Makes all levels below block_level in one workgroup. A level of at most TAIL_TEXELS stays in shared memory, which has
// two alternating halves; larger levels use the scratch buffer.
void make_tail(int thread) {
  Above above = Above(level_size(block_level), ivec2(0), level_size(block_level).x, tail_offset());
  bool from_shared = false;
  int half_used = 1;  // half of shared memory in use
  for (int level = block_level + 1; level < level_count; ++level) {
    const ivec2 size = level_size(level);
    const int count = size.x * size.y;
    const bool is_shared = count <= (half_used == 1 ? TAIL_TEXELS : TAIL_TEXELS / 2);
    const int offset = !is_shared ? scratch_offset(level) : half_used == 1 ? 0 : TAIL_TEXELS;
    for (int first = 0; first < count; first += 256) {
      const int index = first + thread;
      if (index < count) {
        const ivec2 at = place_in_rows(index, size.x);
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

// Number of blocks in columns and rows.
ivec2 grid_of_blocks() {
  const int side = block_side >> BLOCK_STEPS;
  return (level_size(block_level) + side - 1) / side;
}

// Texels of level STEPS that a block reads.
Range block_needs(ivec2 block_at) {
#if BLOCK_EVEN
  return Range(block_at * block_side, min((block_at + 1) * block_side, level_size(STEPS)));
#else
  return range_in_block(STEPS, BLOCK_STEPS, block_at, 0);
#endif
}

// Tiles that own a texel of `range`, from the first to one after the last; tiles are `side` texels wide. The last of a
// row or column owns the rest.
Range tiles_of(Range range, int side) {
  const ivec2 last = ivec2(tiles_x, tiles_y) - 1;
  return Range(min(range.low / side, last), min((range.high - 1) / side, last) + 1);
}

// Blocks that may read the tile: the one that contains it (0), and those to the left (1), above (2), and above left
// (3).
ivec2 block_near(ivec2 tile_at, int side, int near) {
  return min(tile_at * side / block_side, grid_of_blocks() - 1) - ivec2(near & 1, near >> 1);
}
int counter_of(ivec2 block_at) { return 1 + block_at.y * grid_of_blocks().x + block_at.x; }

// Counts the workgroup at the block of this thread.
void count_tile(ivec2 tile_at, int side, int thread) {
#if BLOCK_EVEN
  const ivec2 block_at = block_near(tile_at, side, 0);
  const Range tiles = tiles_of(block_needs(block_at), side);
  const ivec2 size = tiles.high - tiles.low;
  count_even_tile(counter_of(block_at), size.x * size.y - 1, thread);
#else
  int counter = -1, last = 0;
  const ivec2 block_at = block_near(tile_at, side, thread & 3);
  if (thread < 4 && all(greaterThanEqual(block_at, ivec2(0)))) {
    const Range tiles = tiles_of(block_needs(block_at), side);
    const ivec2 size = tiles.high - tiles.low;
    last = size.x * size.y - 1;
    if (all(greaterThanEqual(tile_at, tiles.low)) && all(lessThan(tile_at, tiles.high))) counter = counter_of(block_at);
  }
  count(thread < 4 ? thread : -1, counter, last);
#endif
}

#ifdef DELAYS
// For a test: delays workgroups by different times.
void delay(ivec2 tile_at) {
  uint hash = uint(tile_at.y * tiles_x + tile_at.x) * 2654435761u + uint(delay_seed) * 2246822519u;
  hash = (hash ^ (hash >> 15)) * 3266489917u;
  const uint turns = (hash >> 16) & 127u;
  for (uint turn = 0; turn < turns; ++turn)
    if (scratch_counters[0] == 0xffffffffu) return;
}
#endif

// Continues after the workgroup has made tile `tile_at`. Its part of level STEPS is `side` texels wide.
void finish_tile(ivec2 tile_at, int side, int thread) {
#ifdef DELAYS
  delay(tile_at);
#endif
  count_tile(tile_at, side, thread);
  [[dont_unroll]] for (int near = 0; near < (BLOCK_EVEN == 1 ? 1 : 4); ++near) {
    if (!is_last_at[near]) continue;
    const ivec2 block_at = block_near(tile_at, side, near);
#if BLOCK_EVEN
    make_even_block(block_at, thread);
#else
    acquire(counter_of(block_at), thread);
    make_block(STEPS, BLOCK_STEPS, block_at, texel_offset, TAIL == 1 ? tail_offset() : -1, thread);
#endif
#if TAIL
    const ivec2 grid = grid_of_blocks();
    count(thread == 0 ? tail_slot : -1, 0, grid.x * grid.y - 1);
    if (is_last_at[tail_slot]) {
      acquire(0, thread);
      make_tail(thread);
    }
#endif
  }
}
#endif
