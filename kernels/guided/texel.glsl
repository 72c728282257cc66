// A texel as the fit of a guided filter sees it: straight colors of guide and picture, and the weight of the texel.
#include "lib/alpha.glsl"
#include "lib/in_rgb.glsl"

const float largest_fitted = 1.0e15;  // squares and their sums are floats
bool fits(vec3 c) { return all(lessThanEqual(abs(c), vec3(largest_fitted))); }  // NaN does not

struct Texel {
  vec3 guide, color;
  float weight;  // 0: the texel is left out
};

Texel texel_of(vec4 c, ivec2 at) {
  const vec3 color = unpremultiply(c).rgb;
#if HAS_GUIDE
  const vec3 guide = unpremultiply(as_rgb(load_second(at))).rgb;
#else
  const vec3 guide = color;
#endif
  if (is_transparent(c.a) || !fits(color) || !fits(guide)) return Texel(vec3(0.0), vec3(0.0), 0.0);
  return Texel(guide, color, clamp(abs(coverage_of(c.a)), least_weight, 1.0));
}
