// Blocks: 32x32 texels of a level taken down up to four levels by one workgroup, at any size. Where a level is odd, a texel
// of the next one covers three texels a side, so a block takes along the texels of its right and lower neighbours that its
// own texels of the last level need, makes them again, and stores only its own.

// Texels of one level: from `low` up to `high`, the latter not included.
struct Range {
  ivec2 low;
  ivec2 high;
};

// What level - 1 must hold so that `range` of `level` can be made of it.
Range needed_above(Range range, int level) {
  const ivec2 size = level_size(level - 1);
  return Range(min(2 * range.low, size - 1), min(2 * range.high + (size & 1), size));
}

// Blocks, in columns and rows, that share a level of which they make `steps` more.
ivec2 block_grid(int base, int steps) {
  const int side = 32 >> steps;
  return (level_size(base + steps) + side - 1) / side;
}

// The texels of level `base` that block `block_at` reads.
Range block_range(int base, int steps, ivec2 block_at) {
  const int side = 32 >> steps;
  Range range = Range(block_at * side, min((block_at + 1) * side, level_size(base + steps)));
  for (int level = base + steps; level > base; --level) range = needed_above(range, level);
  return range;
}

// Is `at` of `level` the block's own? The last block of a row or column owns all that is left.
bool owns(ivec2 at, int steps, ivec2 block_at, bvec2 is_last) {
  const ivec2 own = at / (32 >> steps);
  return (own.x == block_at.x || (is_last.x && own.x > block_at.x)) &&
         (own.y == block_at.y || (is_last.y && own.y > block_at.y));
}

// Makes the levels base + 1 to base + steps of a block. Level `base` is the picture, or stands in the scratch buffer; the
// last level goes there too where `keeps` says so.
void make_block(const int base, const int steps, ivec2 block_at, int scratch_from, const bool keeps, int scratch_to, int thread) {
  const bvec2 is_last = equal(block_at + 1, block_grid(base, steps));
  Range ranges[5];
  ranges[steps] = Range(block_at * (32 >> steps), min((block_at + 1) * (32 >> steps), level_size(base + steps)));
  for (int step = steps; step > 0; --step) ranges[step - 1] = needed_above(ranges[step], base + step);

  for (int step = 1; step <= steps; ++step) {
    const int level = base + step;
    const Range range = ranges[step], from = ranges[step - 1];
    const ivec2 count = range.high - range.low;
    // the second level has at most 11x11 texels, the first 23x23
    const int to_offset = (step & 1) == 1 ? 11 * 11 : 0;
    Above above = Above(level_size(level - 1), from.low, from.high.x - from.low.x, 11 * 11 - to_offset, in_shared);
    if (step == 1) above = base == 0 ? Above(above.size, ivec2(0), 0, 0, in_picture)
                                     : Above(above.size, ivec2(0), above.size.x, scratch_from, in_scratch);
    for (int first = 0; first < count.x * count.y; first += 256) {
      const int index = first + thread;
      if (index < count.x * count.y) {
        const ivec2 at = range.low + ivec2(index % count.x, index / count.x);
        const vec4 c = reduce(above, at);
        tile[to_offset + index] = real4(c);
        if (owns(at, step, block_at, is_last)) {
          store_level(level, at, c);
#if BLOCK_STEPS
          if (keeps && step == steps) scratch_texels[scratch_to + at.y * level_size(level).x + at.x] = c;
#endif
        }
      }
    }
    barrier();
  }
}
