// Straight color with a weight in means; core/ops/shared/second_pictures.h says which.
#include "lib/alpha.glsl"

bool fits_in_means(vec3 c) { return all(lessThanEqual(abs(c), vec3(largest_in_means))); }  // NaN does not

vec4 straight_with_weight(vec4 c) {
  const vec3 color = unpremultiply(c).rgb;
  if (is_transparent(c.a) || !fits_in_means(color)) return vec4(0.0);
  return vec4(color, clamp(abs(coverage_of(c.a)), least_weight, 1.0));
}
