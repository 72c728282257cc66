// Enlarges a level of the glow, load_second(), with the tents of bloom/tents.glsl. TAPS_X, TAPS_Y: texels read per
// axis, 2 for even sides and 3 for odd ones, clamped at the border.
#include "bloom/tents.glsl"

vec3 load_glow(ivec2 at) { return load_second(at).rgb; }

// Index of the first of the texels that have a weight.
int first_of(int taps, int at) { return taps == 2 ? at & 1 : 0; }

vec3 spread(ivec2 at, ivec2 from, ivec2 to) {
  const vec3 across = weights_up(to.x, from.x, at.x), down = weights_up(to.y, from.y, at.y);
  const ivec2 first = ivec2(first_of(TAPS_X, at.x), first_of(TAPS_Y, at.y));
  vec3 sum = vec3(0.0);
  [[unroll]] for (int y = 0; y < TAPS_Y; ++y) {
    vec3 row = vec3(0.0);
    [[unroll]] for (int x = 0; x < TAPS_X; ++x) {
      const ivec2 tap = first + ivec2(x, y);
      row += across[tap.x] * load_glow(clamp(at / 2 - 1 + tap, ivec2(0), from - 1));
    }
    sum += down[first.y + y] * row;
  }
  return sum;
}
