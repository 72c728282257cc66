// The whole mip chain in one dispatch, for any size: where a level is odd, a texel of the next one covers three texels a
// side, so a tile takes along the texels of its right and lower neighbours that its own texels of level STEPS (1 to 4)
// need, makes them again, and stores only its own. The last workgroup to finish makes the remaining levels.
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

vec4 above(int level, ivec2 at, ivec2 low, int stride, int offset) {
  return level == 1 ? load(at) : vec4(tile[offset + (at.y - low.y) * stride + at.x - low.x]);
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

  int from_offset = 0;
  for (int level = 1; level <= STEPS; ++level) {
    const ivec2 low = ranges[level].low, count = ranges[level].high - low;
    const ivec2 from_size = level_size(level - 1), from_low = ranges[level - 1].low;
    const int from_stride = ranges[level - 1].high.x - from_low.x;
    const ivec2 taps = ivec2(tap_count(from_size.x), tap_count(from_size.y));
    const int to_offset = (level & 1) == 1 ? 0 : 39 * 39;  // level 1 has at most 39x39 texels, level 2 19x19
    for (int index = thread; index < count.x * count.y; index += 256) {
      const ivec2 at = low + ivec2(index % count.x, index / count.x);
      const ivec2 from = min(2 * at, from_size - 1);
      vec4 sum = vec4(0);
      for (int y = 0; y < taps.y; ++y) {
        vec4 row = vec4(0);
        for (int x = 0; x < taps.x; ++x)
          row += above(level, from + ivec2(x, y), from_low, from_stride, from_offset) * area_weight(from_size.x, at.x, x);
        sum += row * area_weight(from_size.y, at.y, y);
      }
      tile[to_offset + index] = real4(sum);
      if (owns(at, level, tile_at, is_last)) {
        store_level(level, at, sum);
#if TAIL
        if (level == STEPS) keep_for_tail(at, sum);
#endif
      }
    }
    barrier();
    from_offset = to_offset;
  }

#if TAIL
  if (is_last_workgroup(thread)) make_tail(thread);
#endif
}
