// Input of the means of local tone mapping: weighted luminance, and the weight. See core/ops/tonemap/local_reference.h.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"
#include "lib/light_or_black.glsl"

void make(ivec2 at) {
  const vec4 c = unpremultiply(load(at));  // X, Y and Z
  const float weight = c.a > least_weight ? min(c.a, 1.0) : least_weight;  // NaN alpha gets the smallest weight
  store(at, vec4(usable(c.g) * weight, 0.0, 0.0, weight));
}
