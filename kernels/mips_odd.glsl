// The whole mip chain in one dispatch, for any size: where a level is odd, a texel of the next one covers three texels a
// side, so a tile takes along the texels of its right and lower neighbours that its own texels of level STEPS (1 to 4)
// need, makes them again, and stores only its own. The last workgroup to finish makes the remaining levels.
//
// Loops have the same count in every thread, with an `if` inside: llvmpipe 22.3.6 gets a loop of a variable count wrong
// where only some threads of a subgroup run it; the tests of odd sizes show it.
#include "mips_tail.glsl"

// The texels of one level that a workgroup makes: from `low` up to `high`, the latter not included.
struct Range {
  ivec2 low;
  ivec2 high;
};

// What level - 1 must hold so that `range` of the next level can be made of it.
Range needed_above(Range range, int level) {
  const ivec2 size = level_size(level - 1);
  const ivec2 odd = size & 1;
  return Range(min(2 * range.low, size - 1), min(2 * range.high + odd, size));
}

// The workgroup's own part of `level`. The last tile of a row or column owns all that is left.
bool owns(ivec2 at, int level, ivec2 tile_at, bvec2 is_last) {
  const ivec2 own = at / (64 >> level);
  return (own.x == tile_at.x || (is_last.x && own.x > tile_at.x)) &&
         (own.y == tile_at.y || (is_last.y && own.y > tile_at.y));
}

// Where the texels of the level above stand: in the picture for level 1, else in shared memory.
struct Above {
  ivec2 size;    // of the whole level
  ivec2 low;     // its first texel in shared memory
  int stride;
  int offset;
  bool is_picture;
};

vec4 texel_above(Above above, ivec2 at) {
  if (above.is_picture) return load(at);
  return vec4(tile[above.offset + (at.y - above.low.y) * above.stride + at.x - above.low.x]);
}

vec4 reduce(Above above, ivec2 at) {
  const ivec2 taps = ivec2(tap_count(above.size.x), tap_count(above.size.y));
  const ivec2 from = min(2 * at, above.size - 1);
  vec4 sum = vec4(0);
  for (int y = 0; y < 3; ++y) {
    if (y >= taps.y) continue;
    vec4 row = vec4(0);
    for (int x = 0; x < 3; ++x)
      if (x < taps.x)
      row += texel_above(above, from + ivec2(x, y)) * area_weight(above.size.x, at.x, x);
    sum += row * area_weight(above.size.y, at.y, y);
  }
  return sum;
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 tile_at = ivec2(gl_WorkGroupID.xy) + ivec2(origin_x, origin_y);
  const int side = 64 >> STEPS;
  const ivec2 last_size = level_size(STEPS);
  const bvec2 is_last = greaterThanEqual((tile_at + 1) * side, last_size);

  Range ranges[STEPS + 1];
  ranges[STEPS] = Range(tile_at * side, min((tile_at + 1) * side, last_size));
  for (int level = STEPS; level > 0; --level) ranges[level - 1] = needed_above(ranges[level], level);

  for (int level = 1; level <= STEPS; ++level) {
    const Range range = ranges[level], from = ranges[level - 1];
    const ivec2 count = range.high - range.low;
    // level 2 has at most 19x19 texels, level 1 39x39
    const int to_offset = (level & 1) == 1 ? 19 * 19 : 0;
    const Above above = Above(level_size(level - 1), from.low, from.high.x - from.low.x, 19 * 19 - to_offset, level == 1);
    for (int first = 0; first < count.x * count.y; first += 256) {
      const int index = first + thread;
      if (index < count.x * count.y) {
        const ivec2 at = range.low + ivec2(index % count.x, index / count.x);
        const vec4 c = reduce(above, at);
        tile[to_offset + index] = real4(c);
        if (owns(at, level, tile_at, is_last)) {
          store_level(level, at, c);
#if TAIL
          if (level == STEPS) keep_for_tail(at, c);
#endif
        }
      }
    }
    barrier();
  }

#if TAIL
  if (is_last_workgroup(thread)) make_tail(thread);
#endif
}
