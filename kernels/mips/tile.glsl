// Tiles: 64x64 texels of the picture, whose sides halve evenly, taken down STEPS levels by one workgroup of 256.
//
// How that is done is chosen by literals, after the variants that the talk compares.
// ROWS: threads take the texels row by row, else in AMD's order, in which any four neighbors are a quad of texels.
// EACH: texels a side that a thread reads at once, 2 (in each of the four quarters of the tile) or 4 (a square).
// LINEAR: whether a sample between four texels is their mean, is checked to be a number, or the texels are loaded.
// EXCHANGE: how the threads hand on their results,
//   SHARED            through shared memory, an array a level
//   SHARED_EVERY_4TH  the same in place, every fourth thread goes on
//   SHARED_PACKED     the same in place, the threads at the front go on: whole subgroups can rest
//   QUAD              by quads, regrouped through shared memory at each level
//   SHUFFLE           by subgroups of 16 or more, through shared memory once
#include "lib/order.glsl"
#include "mips/levels.glsl"

// Texel `index` of a tile's part of the level `step` below: its place there. In AMD's order entry j covers the entries
// 4j to 4j+3 of the level above, whatever the level.
ivec2 place_of(int index, int step) {
#if ROWS
  const int log_side = 6 - step;
  return ivec2(index & ((1 << log_side) - 1), index >> log_side);
#else
  return amd_order(index << (2 * (step - 1))) >> (step - 1);
#endif
}

// Position of a thread's texel of level 1 in a quarter of the tile.
ivec2 place_in_quarter(int thread) {
#if ROWS
  return ivec2(thread & 15, thread >> 4);
#else
  return amd_order(thread);
#endif
}

// Makes a texel of level 1. Tiles at the right and lower edge read outside the image; those reads are clamped and not
// used.
real4 first_level(ivec2 at) {
#if LINEAR == LINEAR_SAMPLED
  return real4(sample_between(2 * at + 1));
#else
#if LINEAR == LINEAR_CHECKED
  const vec4 c = sample_between(2 * at + 1);
  if (!any(isnan(c)) && !any(isinf(c))) return real4(c);
#endif
  const ivec2 edge = ivec2(width, height) - 1;
  const ivec2 low = min(2 * at, edge), high = min(2 * at + 1, edge);
  return reduce_four(real4(load(low)), real4(load(ivec2(high.x, low.y))), real4(load(ivec2(low.x, high.y))),
                     real4(load(high)));
#endif
}

// Stores a texel of the tile's level `step`, and keeps it for the next step.
void emit(int step, ivec2 tile_at, ivec2 place, real4 c) {
  const ivec2 at = tile_at * (64 >> step) + place;
  if (!inside(at, level_size(step))) return;
  store_level(step, at, vec4(c));
#ifdef KEPT_AT  // in mips/odd_tile.glsl
  if (step == STEPS) tile[KEPT_AT + place.y * (TILE_SIDE + HALO_X) + place.x] = c;
#elif BLOCK_STEPS
  if (step == STEPS) scratch_texels[texel_offset + at.y * level_size(step).x + at.x] = vec4(c);
#endif
}

#if EXCHANGE == EXCHANGE_QUAD || EXCHANGE == EXCHANGE_SHUFFLE
real4 reduce_quad(real4 c) {
  return reduce_four(c, subgroupQuadSwapHorizontal(c), subgroupQuadSwapVertical(c), subgroupQuadSwapDiagonal(c));
}
#endif
#if EXCHANGE == EXCHANGE_SHUFFLE
// Reduces four neighboring quads, which hold one value each.
real4 reduce_four_quads(real4 c) {
  return reduce_four(c, subgroupShuffleXor(c, 4), subgroupShuffleXor(c, 8), subgroupShuffleXor(c, 12));
}
#endif

#if EXCHANGE < EXCHANGE_QUAD
// Offset in shared memory of a texel of level `step`.
int entry_of(int step, ivec2 place) {
#if EXCHANGE == EXCHANGE_SHARED
  // 32x32, 16x16, ... one after another; with EACH 4 the first stays in registers
  int offset = 0;
  for (int above = EACH / 2; above < 6; ++above)
    if (above < step) offset += 4096 >> (2 * above);
  return offset + place.y * (64 >> step) + place.x;
#else
  const int spread = step - EACH / 2;  // in place: each result where the first of its four texels was
  return (place.y << spread) * (64 / EACH) + (place.x << spread);
#endif
}

real4 reduce_shared(int step, ivec2 place) {
  const ivec2 from = 2 * place;
  return reduce_four(tile[entry_of(step - 1, from)], tile[entry_of(step - 1, from + ivec2(1, 0))],
                     tile[entry_of(step - 1, from + ivec2(0, 1))], tile[entry_of(step - 1, from + ivec2(1, 1))]);
}

// Makes level 3 and below from level 2 in shared memory.
void finish_shared(ivec2 tile_at, int thread) {
  for (int step = 3; step <= STEPS; ++step) {
    barrier();
#if EXCHANGE == EXCHANGE_SHARED_EVERY_4TH
    const int spread = 2 * (step - 2);
    const bool goes_on = (thread & ((1 << spread) - 1)) == 0;
    const int index = thread >> spread;
#else
    const bool goes_on = thread < 4096 >> (2 * step);
    const int index = thread;
#endif
    if (goes_on) {
      const ivec2 place = place_of(index, step);
      const real4 c = reduce_shared(step, place);
      emit(step, tile_at, place, c);
      if (step < STEPS) tile[entry_of(step, place)] = c;
    }
  }
}
#endif

#if EXCHANGE == EXCHANGE_QUAD
// Makes level 3 and below from a value `c` of level 2 in each thread, entry `index` of that level.
void finish_quads(ivec2 tile_at, int thread, int index, real4 c) {
  int offset = 0;
#if EACH == 2
  tile[index] = c;
  barrier();
  c = tile[thread];
  offset = 256;
#endif
  int count = 256;
  for (int step = 3; step <= STEPS; ++step) {
    if (thread < count) {
      c = reduce_quad(c);
      if ((thread & 3) == 0) {
        emit(step, tile_at, place_of(thread >> 2, step), c);
        if (step < STEPS) tile[offset + (thread >> 2)] = c;
      }
    }
    count >>= 2;
    barrier();
    if (step < STEPS && thread < count) c = tile[offset + thread];
    offset += count;
  }
}
#endif

#if EXCHANGE == EXCHANGE_SHUFFLE
// Makes level 3 and below from a value `c` of level 2 in each thread. A subgroup makes four entries of level 3 or one
// of level 4; sixteen threads make the rest.
void finish_shuffled(ivec2 tile_at, int thread, real4 c) {
#if EACH == 2
  c = reduce_four_quads(c);
  const int third = 16 * (thread & 3) + (thread >> 4);
  if ((thread & 12) == 0) {
    emit(3, tile_at, place_of(third, 3), c);
    tile[third] = c;
  }
  if (STEPS == 3) return;
  barrier();
  if (thread >= 16) return;
  c = reduce_four(tile[4 * thread], tile[4 * thread + 1], tile[4 * thread + 2], tile[4 * thread + 3]);
  emit(4, tile_at, place_of(thread, 4), c);
#else
  c = reduce_quad(c);
  if ((thread & 3) == 0) emit(3, tile_at, place_of(thread >> 2, 3), c);
  if (STEPS == 3) return;
  c = reduce_four_quads(c);
  if ((thread & 15) == 0) {
    emit(4, tile_at, place_of(thread >> 4, 4), c);
    tile[thread >> 4] = c;
  }
  if (STEPS == 4) return;
  barrier();
  if (thread >= 16) return;
  c = tile[thread];
#endif
  if (STEPS == 4) return;
  c = reduce_quad(c);
  if ((thread & 3) == 0) emit(5, tile_at, place_of(thread >> 2, 5), c);
  if (STEPS == 5) return;
  c = reduce_four_quads(c);
  if (thread == 0) emit(6, tile_at, ivec2(0), c);
}
#endif

// Positions of a thread's four texels of level 1: one in each quarter of the tile, or a 2x2 square.
ivec2 place_of_first(int thread, int x, int y) {
  return EACH == 2 ? place_in_quarter(thread) + 16 * ivec2(x, y) : 2 * place_of(thread, 2) + ivec2(x, y);
}

// Makes levels 1 to STEPS of a tile. The four texels are separate variables, because an array that is indexed in a loop
// may be placed in memory.
void make_tile(ivec2 tile_at, int thread) {
  const ivec2 place0 = place_of_first(thread, 0, 0), place1 = place_of_first(thread, 1, 0);
  const ivec2 place2 = place_of_first(thread, 0, 1), place3 = place_of_first(thread, 1, 1);
  real4 c0 = first_level(32 * tile_at + place0);  // all reads are requested before the first is used
  real4 c1 = first_level(32 * tile_at + place1);
  real4 c2 = first_level(32 * tile_at + place2);
  real4 c3 = first_level(32 * tile_at + place3);
  emit(1, tile_at, place0, c0);
  emit(1, tile_at, place1, c1);
  emit(1, tile_at, place2, c2);
  emit(1, tile_at, place3, c3);
  if (STEPS == 1) return;

#if EACH == 4
  const real4 two = reduce_four(c0, c1, c2, c3);
  const int index = thread;
#elif EXCHANGE >= EXCHANGE_QUAD
  // Each lane of a quad keeps the result of another quarter, so that all 256 threads hold one texel of level 2.
  c0 = reduce_quad(c0);
  c1 = reduce_quad(c1);
  c2 = reduce_quad(c2);
  c3 = reduce_quad(c3);
  const int lane = thread & 3;
  const real4 two = lane < 2 ? (lane == 0 ? c0 : c1) : (lane == 2 ? c2 : c3);
  const int index = 64 * lane + (thread >> 2);
#else
  tile[entry_of(1, place0)] = c0;
  tile[entry_of(1, place1)] = c1;
  tile[entry_of(1, place2)] = c2;
  tile[entry_of(1, place3)] = c3;
  barrier();
  const int index = thread;
  const real4 two = reduce_shared(2, place_of(index, 2));
#endif
  emit(2, tile_at, place_of(index, 2), two);
  if (STEPS == 2) return;

#if EXCHANGE == EXCHANGE_SHUFFLE
  finish_shuffled(tile_at, thread, two);
#elif EXCHANGE == EXCHANGE_QUAD
  finish_quads(tile_at, thread, index, two);
#else
  tile[entry_of(2, place_of(index, 2))] = two;
  finish_shared(tile_at, thread);
#endif
}
