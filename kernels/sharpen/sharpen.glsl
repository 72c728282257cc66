// A picture plus a share of its difference from its blur, load_second().
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"

void make(ivec2 at) {
  const vec4 c = as_rgb(load(at));
  if (is_transparent(c.a)) {
    store(at, of_rgb(c));
    return;
  }
  // precise: a difference that overflows stays infinite
  precise const vec3 detail = unpremultiply(c).rgb - unpremultiply(as_rgb(load_second(at))).rgb;
  const vec3 kept = mix(sign(detail) * max(abs(detail) - least_detail, vec3(0.0)), detail, isnan(detail));
  precise const vec3 added = amount * (coverage_of(c.a) * kept);  // in this order: a share of a tiny alpha may become 0
  store(at, of_rgb(vec4(c.rgb + added, c.a)));
}
