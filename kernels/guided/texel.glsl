// A texel as the fit of a guided filter sees it: straight colors of guide and picture, and the weight of the texel.
#include "shared/straight_weight.glsl"
#include "lib/in_rgb.glsl"

struct Texel {
  vec3 guide, color;
  float weight;  // 0: the texel is left out
};

Texel texel_of(vec4 c, ivec2 at) {
  const vec4 color = straight_with_weight(c);
#if HAS_GUIDE
  const vec3 guide = unpremultiply(as_rgb(load_second(at))).rgb;
  if (!fits_in_means(guide)) return Texel(vec3(0.0), vec3(0.0), 0.0);
  return Texel(guide, color.rgb, color.a);
#else
  return Texel(color.rgb, color.rgb, color.a);
#endif
}
