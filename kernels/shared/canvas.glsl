// A picture on a canvas of one color, or with REPEATS of its own border texels. Texel (0, 0) of the target lies at
// (corner_x, corner_y) of the picture.
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"

void make(ivec2 at) {
  const ivec2 place = at + ivec2(corner_x, corner_y);
  const ivec2 nearest = clamp(place, ivec2(0), ivec2(width, height) - 1);
  if (REPEATS == 1 || place == nearest) store(at, load(nearest));
  else store(at, of_rgb(vec4(red, green, blue, alpha)));
}
