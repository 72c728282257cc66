// Copies the texel under the middle of each texel of the result, the lower one of two.
#include "lib/each_texel.glsl"
#include "shared/middle.glsl"

int under(Position middle, int side) { return clamp(middle.rest == 0 ? middle.texel - 1 : middle.texel, 0, side - 1); }

void make(ivec2 at) {
  const Position x = middle_of(first_x + at.x, from_width, to_width, phase_x);
  const Position y = middle_of(first_y + at.y, from_height, to_height, phase_y);
  store(at, load(ivec2(under(x, width), under(y, height)) - ivec2(corner_x, corner_y)));
}
