// Tiles: 64x64 texels of a level, all of whose sides halve evenly, taken down up to six levels by one workgroup of 256.
//
// How that is done is chosen by literals, after the variants that the talk compares.
// ROWS: threads take the texels row by row, else in AMD's order, in which any four neighbours are a quad of texels.
// EACH: texels a side that a thread reads at once, 2 (in each of the four quarters of the tile) or 4 (a square).
// LINEAR: a sample between four texels is their mean, else they are loaded.
// EXCHANGE: how the threads hand on their results,
//   0  through shared memory, an array a level
//   1  the same in place, every fourth thread goes on
//   2  the same in place, the threads at the front go on: whole subgroups can rest
//   3  by quads, regrouped through shared memory at each level
//   4  by subgroups of 16 or more, through shared memory once
#include "order.glsl"
#include "mips_levels.glsl"

#define EXCHANGE_OWN 0
#define EXCHANGE_FOURTH 1
#define EXCHANGE_PACKED 2
#define EXCHANGE_QUAD 3
#define EXCHANGE_SHUFFLE 4

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

// A thread's texel of level 1 in each quarter of the tile.
ivec2 place_in_quarter(int thread) {
#if ROWS
  return ivec2(thread & 15, thread >> 4);
#else
  return amd_order(thread);
#endif
}

// Level base + 1 from the level `base`: the picture, or what the tiles kept of level STEPS. Tiles at the right and lower
// edge reach outside: those reads are clamped, and nothing inside is made of them.
real4 first_level(const int base, ivec2 at) {
  const ivec2 edge = level_size(base) - 1;
#if BLOCK_STEPS
  if (base > 0) {
    const ivec2 low = min(2 * at, edge), high = min(2 * at + 1, edge);
    const int top = texel_offset + low.y * (edge.x + 1), bottom = texel_offset + high.y * (edge.x + 1);
    return reduce_four(real4(kept_texels[top + low.x]), real4(kept_texels[top + high.x]),
                       real4(kept_texels[bottom + low.x]), real4(kept_texels[bottom + high.x]));
  }
#endif
#if LINEAR
  return real4(sample_between(2 * at + 1));
#else
  const ivec2 low = min(2 * at, edge), high = min(2 * at + 1, edge);
  return reduce_four(real4(load(low)), real4(load(ivec2(high.x, low.y))), real4(load(ivec2(low.x, high.y))),
                     real4(load(high)));
#endif
}

// Stores a texel of the tile's part of level base + step, and keeps it for those who go on.
void emit(const int base, int step, ivec2 tile_at, ivec2 place, real4 c) {
  const int level = base + step;
  const ivec2 at = tile_at * (64 >> step) + place;
  if (!inside(at, level_size(level))) return;
  store_level(level, at, vec4(c));
#if BLOCK_STEPS
  if (base == 0 && step == STEPS) scratch_texels[texel_offset + at.y * level_size(level).x + at.x] = vec4(c);
#if TAIL
  if (base > 0 && step == BLOCK_STEPS)
    scratch_texels[tail_offset() + at.y * level_size(level).x + at.x] = vec4(c);
#endif
#endif
}

#if EXCHANGE == EXCHANGE_QUAD || EXCHANGE == EXCHANGE_SHUFFLE
real4 reduce_quad(real4 c) {
  return reduce_four(c, subgroupQuadSwapHorizontal(c), subgroupQuadSwapVertical(c), subgroupQuadSwapDiagonal(c));
}
#endif
#if EXCHANGE == EXCHANGE_SHUFFLE
// Of four neighbouring quads, each of which holds one number.
real4 reduce_four_quads(real4 c) {
  return reduce_four(c, subgroupShuffleXor(c, 4), subgroupShuffleXor(c, 8), subgroupShuffleXor(c, 12));
}
#endif

#if EXCHANGE < EXCHANGE_QUAD
// Where shared memory holds a texel of the level `step` below.
int entry_of(int step, ivec2 place) {
#if EXCHANGE == EXCHANGE_OWN
  // 32x32, 16x16, ... one behind the other; with EACH 4 the first of them stays in registers
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

// Levels 3 and below, of what shared memory holds of level 2.
void finish_shared(const int base, const int steps, ivec2 tile_at, int thread) {
  for (int step = 3; step <= steps; ++step) {
    barrier();
#if EXCHANGE == EXCHANGE_FOURTH
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
      emit(base, step, tile_at, place, c);
      if (step < steps) tile[entry_of(step, place)] = c;
    }
  }
}
#endif

#if EXCHANGE == EXCHANGE_QUAD
// Levels 3 and below, of a number `c` of level 2 in each thread, entry `index` of that level.
void finish_quads(const int base, const int steps, ivec2 tile_at, int thread, int index, real4 c) {
  int offset = 0;
#if EACH == 2
  tile[index] = c;
  barrier();
  c = tile[thread];
  offset = 256;
#endif
  int count = 256;
  for (int step = 3; step <= steps; ++step) {
    if (thread < count) {
      c = reduce_quad(c);
      if ((thread & 3) == 0) {
        emit(base, step, tile_at, place_of(thread >> 2, step), c);
        if (step < steps) tile[offset + (thread >> 2)] = c;
      }
    }
    count >>= 2;
    barrier();
    if (step < steps && thread < count) c = tile[offset + thread];
    offset += count;
  }
}
#endif

#if EXCHANGE == EXCHANGE_SHUFFLE
// Levels 3 and below, of a number `c` of level 2 in each thread. A subgroup makes four entries of level 3 or one of level
// 4; sixteen threads make the rest.
void finish_shuffled(const int base, const int steps, ivec2 tile_at, int thread, real4 c) {
#if EACH == 2
  c = reduce_four_quads(c);
  const int third = 16 * (thread & 3) + (thread >> 4);
  if ((thread & 12) == 0) {
    emit(base, 3, tile_at, place_of(third, 3), c);
    tile[third] = c;
  }
  if (steps == 3) return;
  barrier();
  if (thread >= 16) return;
  c = reduce_four(tile[4 * thread], tile[4 * thread + 1], tile[4 * thread + 2], tile[4 * thread + 3]);
  emit(base, 4, tile_at, place_of(thread, 4), c);
#else
  c = reduce_quad(c);
  if ((thread & 3) == 0) emit(base, 3, tile_at, place_of(thread >> 2, 3), c);
  if (steps == 3) return;
  c = reduce_four_quads(c);
  if ((thread & 15) == 0) {
    emit(base, 4, tile_at, place_of(thread >> 4, 4), c);
    tile[thread >> 4] = c;
  }
  if (steps == 4) return;
  barrier();
  if (thread >= 16) return;
  c = tile[thread];
#endif
  if (steps == 4) return;
  c = reduce_quad(c);
  if ((thread & 3) == 0) emit(base, 5, tile_at, place_of(thread >> 2, 5), c);
  if (steps == 5) return;
  c = reduce_four_quads(c);
  if (thread == 0) emit(base, 6, tile_at, ivec2(0), c);
}
#endif

// Levels base + 1 to base + steps of a tile.
void make_tile(const int base, const int steps, ivec2 tile_at, int thread) {
  real4 ones[4];  // texels of level 1; all reads are under way before the first is waited for
  ivec2 places[4];
  for (int q = 0; q < 4; ++q) {
    const ivec2 quarter = ivec2(q & 1, q >> 1);
    places[q] = EACH == 2 ? place_in_quarter(thread) + 16 * quarter : 2 * place_of(thread, 2) + quarter;
    ones[q] = first_level(base, tile_at * 32 + places[q]);
  }
  for (int q = 0; q < 4; ++q) emit(base, 1, tile_at, places[q], ones[q]);
  if (steps == 1) return;

#if EACH == 4
  const real4 two = reduce_four(ones[0], ones[1], ones[2], ones[3]);
  const int index = thread;
#elif EXCHANGE >= EXCHANGE_QUAD
  // Each lane of a quad keeps the result of another quarter: all 256 threads then hold one texel of level 2.
  for (int q = 0; q < 4; ++q) ones[q] = reduce_quad(ones[q]);
  const int lane = thread & 3;
  const real4 two = lane < 2 ? (lane == 0 ? ones[0] : ones[1]) : (lane == 2 ? ones[2] : ones[3]);
  const int index = 64 * lane + (thread >> 2);
#else
  for (int q = 0; q < 4; ++q) tile[entry_of(1, places[q])] = ones[q];
  barrier();
  const int index = thread;
  const real4 two = reduce_shared(2, place_of(index, 2));
#endif
  emit(base, 2, tile_at, place_of(index, 2), two);
  if (steps == 2) return;

#if EXCHANGE == EXCHANGE_SHUFFLE
  finish_shuffled(base, steps, tile_at, thread, two);
#elif EXCHANGE == EXCHANGE_QUAD
  finish_quads(base, steps, tile_at, thread, index, two);
#else
  tile[entry_of(2, place_of(index, 2))] = two;
  finish_shared(base, steps, tile_at, thread);
#endif
}
