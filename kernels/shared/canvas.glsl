// A picture on a canvas of one color. Texel (0, 0) of the target lies at (corner_x, corner_y) of the picture.
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"

void make(ivec2 at) {
  const ivec2 place = at + ivec2(corner_x, corner_y);
  if (all(greaterThanEqual(place, ivec2(0))) && all(lessThan(place, ivec2(width, height)))) store(at, load(place));
  else store(at, of_rgb(vec4(red, green, blue, alpha)));
}
