// The largest of some numbers along an axis, or with IS_LEAST the least. NaN counts only where there is nothing else. Reads beyond
// the border take the nearest texel, which lies in the window too.
#include "lib/each_texel.glsl"

vec4 extreme(vec4 a, vec4 b) {
  const bvec4 is_further = IS_LEAST != 0 ? lessThan(b, a) : greaterThan(b, a);
  return mix(mix(a, b, is_further), b, isnan(a));
}

vec4 tap(ivec2 at, int offset) {
  const ivec2 place = at + (AXIS == AXIS_X ? ivec2(offset, 0) : ivec2(0, offset));
  return load(clamp(place, ivec2(0), ivec2(end_x, end_y) - 1));
}

void make(ivec2 at) {
  vec4 made = tap(at, first);
  for (int k = 1; k < taps; ++k) made = extreme(made, tap(at, first + min(k * stride, last)));
  store(at, made);
}
