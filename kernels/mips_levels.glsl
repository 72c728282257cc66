// What all parts of the single pass share: sizes of levels, shared memory, and the reduction of a level to the next
// one.
//
// Loops have the same count in every thread, with an `if` inside: llvmpipe 22.3.6 gets a loop of a variable count wrong
// where only some threads of a subgroup run it; the tests of odd sizes show it.
#include "area_weights.glsl"

shared real4 tile[SHARED_TEXELS];

ivec2 level_size(int level) { return max(ivec2(width, height) >> level, 1); }
bool inside(ivec2 at, ivec2 size) { return at.x < size.x && at.y < size.y; }

const int in_picture = 0, in_shared = 1, in_scratch = 2;

// Where the texels of a level stand, for making the next level of them.
struct Above {
  ivec2 size;   // of the whole level
  ivec2 low;    // the first of its texels that stand there
  int stride;   // from row to row
  int offset;   // of the first
};

// `where`: in_picture, in_shared or in_scratch.
vec4 texel_above(const int where, Above above, ivec2 at) {
  if (where == in_picture) return load(at);
  const int place = above.offset + (at.y - above.low.y) * above.stride + at.x - above.low.x;
#if BLOCK_STEPS
  if (where == in_scratch) return scratch_texels[place];
#endif
  return vec4(tile[place]);
}

// Texel `at` of the level below.
vec4 reduce(const int where, Above above, ivec2 at) {
  const ivec2 taps = ivec2(tap_count(above.size.x), tap_count(above.size.y));
  const ivec2 from = min(2 * at, above.size - 1);
  vec4 sum = vec4(0);
  for (int y = 0; y < 3; ++y) {
    if (y >= taps.y) continue;
    vec4 row = vec4(0);
    for (int x = 0; x < 3; ++x)
      if (x < taps.x) row += texel_above(where, above, from + ivec2(x, y)) * area_weight(above.size.x, at.x, x);
    sum += row * area_weight(above.size.y, at.y, y);
  }
  return sum;
}
