// Makes a level of the pyramid from 2x2 texels of the level above: their mean color, straight, with their weight in alpha. IS_LEVEL_0:
// the level above is the image.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"

vec4 weighted(ivec2 at) {
  if (at.x >= from_x || at.y >= from_y) return vec4(0.0);
  const vec4 c = load(at);
#if IS_LEVEL_0
  const vec3 color = unpremultiply(c).rgb;
  const float weight = min(abs(coverage_of(c.a)), 1.0);
  const bool counts = weight >= least_alpha && all(lessThanEqual(abs(color), vec3(largest_color)));  // NaN does not
  return counts ? vec4(color, weight) : vec4(0.0);
#else
  return c;
#endif
}

void make(ivec2 at) {
  vec4 sum = vec4(0.0);
  for (int k = 0; k < 4; ++k) {
    const vec4 c = weighted(2 * at + ivec2(k & 1, k >> 1));
    sum += vec4(c.a * c.rgb, c.a);
  }
  store(at, sum.a > 0.0 ? vec4(sum.rgb / sum.a, 0.25 * sum.a) : vec4(0.0));
}
