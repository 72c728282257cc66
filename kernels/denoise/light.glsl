// The light that falls on each texel: straight color divided by the albedo, and the weight of the texel.
#include "denoise/albedo.glsl"
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"
#include "shared/straight_weight.glsl"

void make(ivec2 at) {
  vec4 light = straight_with_weight(as_rgb(load(at)));
#if HAS_ALBEDO
  light.rgb /= divisor_of(load_more0(at));
#endif
  store(at, light);
}
