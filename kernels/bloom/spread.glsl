// Enlarges a level of the glow, load_second(), with the tents of bloom/tents.glsl. TAPS_X, TAPS_Y: texels read per
// axis, 2 for even sides and 3 for odd ones, clamped at the border. In a tile, `begin` is the position of the target's
// first texel in its level, and even; `whole_from` and `whole_end` are sizes of the levels of the whole image.
#include "bloom/tents.glsl"

vec3 load_glow(ivec2 at) { return load_second(at).rgb; }

// Index of the first of the texels that have a weight.
int first_of(int taps, int at) { return taps == 2 ? at & 1 : 0; }

vec3 spread(ivec2 at) {
  const vec3 across = weights_up(whole_end_x, whole_from_x, begin_x + at.x);
  const vec3 down = weights_up(whole_end_y, whole_from_y, begin_y + at.y);
  const ivec2 first = ivec2(first_of(TAPS_X, at.x), first_of(TAPS_Y, at.y));
  vec3 sum = vec3(0.0);
  [[unroll]] for (int y = 0; y < TAPS_Y; ++y) {
    vec3 row = vec3(0.0);
    [[unroll]] for (int x = 0; x < TAPS_X; ++x) {
      const ivec2 tap = first + ivec2(x, y);
      row += across[tap.x] * load_glow(clamp(at / 2 - 1 + tap, ivec2(0), ivec2(from_x, from_y) - 1));
    }
    sum += down[first.y + y] * row;
  }
  return sum;
}
