// The divisor of a texel's light: its straight albedo, limited to a range.
#include "lib/alpha.glsl"

vec3 divisor_of(vec4 premultiplied) {
  const vec3 albedo = unpremultiply(premultiplied).rgb;
  return mix(vec3(least_albedo), min(albedo, vec3(most_albedo)), greaterThan(albedo, vec3(least_albedo)));
}
