// What all parts of the single pass share: sizes of levels, shared memory, and the reduction of a level to the next
// one.
//
// Loops have the same count in every thread, with an `if` inside: llvmpipe 22.3.6 gets a loop of a variable count wrong
// where only some threads of a subgroup run it; the tests of odd sizes show it.
#include "mips/reduce_area.glsl"

shared real4 tile[SHARED_TEXELS];

ivec2 level_size(int level) { return max(ivec2(width, height) >> level, 1); }
bool inside(ivec2 at, ivec2 size) { return at.x < size.x && at.y < size.y; }

// The place of entry `index` in rows of `width`. Numbers are far below 2^20, where this is exact, and faster than
// dividing.
ivec2 place_in_rows(int index, int width) {
  const int y = int((float(index) + 0.5) / float(width));
  return ivec2(index - y * width, y);
}

#if BLOCK_STEPS
const int block_level = STEPS + BLOCK_STEPS;

// Counters stand at the front of the scratch buffer, the first one for blocks, then one for each block; behind them
// level STEPS, level block_level, and the levels below where they need room.
int scratch_offset(int level) {
  int offset = texel_offset;
  if (level > STEPS) offset += level_size(STEPS).x * level_size(STEPS).y;
  for (int above = block_level; above < level; ++above) offset += level_size(above).x * level_size(above).y;
  return offset;
}
int tail_offset() { return scratch_offset(block_level); }
#endif

const int in_picture = 0, in_shared = 1, in_scratch = 2;

// Location of a level's texels, as the source of the next level.
struct Above {
  ivec2 size;  // size of the whole level
  ivec2 low;  // first texel that is there
  int stride;  // stride between rows
  int offset;  // offset of the first texel
};

// `where`: in_picture, in_shared or in_scratch.
vec4 texel_above(const int where, Above above, ivec2 at) {
  if (where == in_picture) return load(at);
  const int place = above.offset + (at.y - above.low.y) * above.stride + at.x - above.low.x;
#if BLOCK_STEPS
  if (where == in_scratch) return kept_texels[place];
#endif
  return vec4(tile[place]);
}

// Makes texel `at` of the level below. All texels are requested before the first is used.
vec4 reduce(const int where, Above above, ivec2 at) {
  const ivec2 taps = ivec2(tap_count(above.size.x), tap_count(above.size.y));
  const ivec2 from = min(2 * at, above.size - 1);
  vec4 texels[9];
  texels[0] = texel_above(where, above, from);
  for (int index = 1; index < 9; ++index) {
    const ivec2 tap = ivec2(index % 3, index / 3);
    texels[index] = inside(tap, taps) ? texel_above(where, above, from + tap) : uncovered(texels[0]);
  }
  return reduce_area(texels, above.size, at);
}
