// All levels below a small level, for any size, in one workgroup of 256. Level 1 below it has at most FIRST_TEXELS texels, and
// each further level a quarter of that.
#include "mips/levels.glsl"

// A texel of level 1 below. All reads are requested before the first is used.
vec4 reduce_loaded(ivec2 at) {
  const ivec2 size = ivec2(width, height), corner = min(2 * at, size - 1);
  const ivec2 taps = ivec2(tap_count(size.x), tap_count(size.y));
  vec4 texels[9];
  [[unroll]] for (int index = 0; index < 9; ++index)
    texels[index] = load(min(corner + ivec2(index % 3, index / 3), size - 1));
  [[unroll]] for (int index = 1; index < 9; ++index)
    if (!inside(ivec2(index % 3, index / 3), taps)) texels[index] = uncovered(texels[0]);
  return reduce_area(texels, size, at);
}

void keep(int level, ivec2 at, int place, vec4 c) {
  tile[place] = real4(c);
  store_level(level, at, c);
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  ivec2 size = level_size(1);
  int count = size.x * size.y;
  [[unroll]] for (int first = 0; first < FIRST_TEXELS; first += 256) {
    const int index = first + thread;
    const ivec2 at = place_in_rows(min(index, count - 1), size.x);
    const vec4 c = reduce_loaded(at);
    if (index < count) keep(1, at, index, c);
  }
  int from = 0, to = FIRST_TEXELS;  // levels are in two parts of shared memory in turn
  [[dont_unroll]] for (int level = 2; level < level_count; ++level) {
    barrier();
    const Above above = Above(size, ivec2(0), size.x, from);
    size = level_size(level);
    count = size.x * size.y;
    const ivec2 at = place_in_rows(thread, size.x);
    if (thread < count) keep(level, at, to + thread, reduce(in_shared, above, at));
    from = to;
    to = FIRST_TEXELS - to;
  }
}
