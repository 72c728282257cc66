// The picture in its smoothed light, the last of the images that are loaded.
#include "denoise/albedo.glsl"
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"
#include "lib/alpha.glsl"

void make(ivec2 at) {
  const vec4 c = as_rgb(load(at));
#if HAS_ALBEDO
  vec4 light = load_more1(at);
  light.rgb *= divisor_of(load_more0(at));
#else
  const vec4 light = load_more0(at);
#endif
  store(at, of_rgb(light.a == 0.0 ? c : vec4(light.rgb * coverage_of(c.a), c.a)));
}
