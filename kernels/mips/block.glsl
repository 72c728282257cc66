// Blocks: a workgroup reduces 32x32 texels of a level by up to four levels, for any size. If a level is odd, a texel of
// the next level covers three texels per side. A block then also makes the texels of its right and lower neighbors that
// it needs, and stores only its own.
#include "mips/levels.glsl"

// Texels of one level from `low` up to `high` (excluded).
struct Range {
  ivec2 low;
  ivec2 high;
};

// Texels of level - 1 that `range` of `level` depends on.
Range needed_above(Range range, int level) {
  const ivec2 size = level_size(level - 1);
  return Range(min(2 * range.low, size - 1), min(2 * range.high + (size & 1), size));
}

// Number of blocks in columns and rows for `steps` more levels.
ivec2 block_grid(int base, int steps) {
  const int side = 32 >> steps;
  return (level_size(base + steps) + side - 1) / side;
}

// Texels of level base + step that the block makes: its own texels of the last level, and those that they need.
Range range_in_block(int base, int steps, ivec2 block_at, int step) {
  const int side = 32 >> steps;
  Range range = Range(block_at * side, min((block_at + 1) * side, level_size(base + steps)));
  for (int level = base + steps; level > base + step; --level) range = needed_above(range, level);
  return range;
}

// Returns whether the block owns `at` of `level`. The last block of a row or column owns the rest.
bool owns(ivec2 at, int steps, ivec2 block_at, bvec2 is_last) {
  const ivec2 own = at / (32 >> steps);
  return (own.x == block_at.x || (is_last.x && own.x > block_at.x)) &&
         (own.y == block_at.y || (is_last.y && own.y > block_at.y));
}

// The part of a level that a block makes.
struct Share {
  ivec2 block_at;
  bvec2 is_last;  // last in its row and its column
  int steps;  // number of levels below the shared level
  Range range;  // texels of the part
  int tile_offset;  // offset in shared memory
};

// Makes the block's texels of `level` and stores its own, also in the scratch buffer at `keep_at` if that is not
// negative.
void make_level(const int where, Above above, int level, Share share, int keep_at, int thread) {
  const ivec2 count = share.range.high - share.range.low;
  for (int first = 0; first < count.x * count.y; first += 256) {
    const int index = first + thread;
    if (index < count.x * count.y) {
      const ivec2 at = share.range.low + place_in_rows(index, count.x);
      const vec4 c = reduce(where, above, at);
      tile[share.tile_offset + index] = real4(c);
      if (owns(at, share.steps, share.block_at, share.is_last)) {
        store_level(level, at, c);
#if BLOCK_STEPS
        if (keep_at >= 0) scratch_texels[keep_at + at.y * level_size(level).x + at.x] = c;
#endif
      }
    }
  }
  barrier();
}

// Makes the levels base + 1 to base + steps of a block. Level `base` is the picture, or stands in the scratch buffer
// from `scratch_from` on; the last level goes there too, from `keep_at` on, where that is not negative.
void make_block(const int base, const int steps, ivec2 block_at, int scratch_from, int keep_at, int thread) {
  const bvec2 is_last = equal(block_at + 1, block_grid(base, steps));
  // the first level has at most 23x23 texels, the second 11x11; they alternate after and before 11x11 texels
  const Range first = range_in_block(base, steps, block_at, 1);
  const Above picture = Above(level_size(base), ivec2(0), level_size(base).x, scratch_from);
  make_level(base == 0 ? in_picture : in_scratch, picture, base + 1, Share(block_at, is_last, 1, first, 11 * 11),
             steps == 1 ? keep_at : -1, thread);
  Range from = first;
  for (int step = 2; step <= steps; ++step) {
    const Range to = range_in_block(base, steps, block_at, step);
    const int to_offset = (step & 1) == 1 ? 11 * 11 : 0;
    const Above above = Above(level_size(base + step - 1), from.low, from.high.x - from.low.x, 11 * 11 - to_offset);
    make_level(in_shared, above, base + step, Share(block_at, is_last, step, to, to_offset),
               step == steps ? keep_at : -1, thread);
    from = to;
  }
}
