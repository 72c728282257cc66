// Gives texels with alpha 0 the color of the filled level below, load_second(), enlarged by linear interpolation. IS_LEVEL_0: the texels
// are those of the image, which keep their alpha. In the level below, alpha is above 0 in all texels or in none.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"

vec4 enlarged(ivec2 at) {
  const ivec2 last = (ivec2(end_x, end_y) + 1) / 2 - 1, near = at / 2;
  const ivec2 other = clamp(near + 2 * (at & 1) - 1, ivec2(0), last);
  const vec4 near_row = 0.75 * load_second(near) + 0.25 * load_second(ivec2(other.x, near.y));
  const vec4 other_row = 0.75 * load_second(ivec2(near.x, other.y)) + 0.25 * load_second(other);
  return 0.75 * near_row + 0.25 * other_row;
}

void make(ivec2 at) {
  vec4 c = load(at);
  if (is_transparent(c.a)) {
    const vec4 fill = enlarged(at);
    if (fill.a > 0.0) c = IS_LEVEL_0 == 1 ? vec4(fill.rgb, c.a) : fill;
  }
  store(at, c);
}
