// The light that local tone mapping makes its means of: the luminance times its weight, and the weight.
// core/ops/tonemap/local_reference.h says what they are.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"
#include "lib/light_or_black.glsl"

void make(ivec2 at) {
  const vec4 c = unpremultiply(load(at));  // X, Y and Z
  const float least_weight = intBitsToFloat(least_weight_bits);
  const float weight = c.a > least_weight ? min(c.a, 1.0) : least_weight;  // an alpha that is no number weighs least
  store(at, vec4(usable(c.g) * weight, 0.0, 0.0, weight));
}
