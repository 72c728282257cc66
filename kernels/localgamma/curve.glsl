// Encodes light with an exponent that depends on the light to which the eye is adapted; see
// core/ops/localgamma/reference.h.
#include "generated/color_constants.glsl"

float adapted_exponent(float adaptation) {
  return 0.444 + 0.045 * log((adaptation > 0.0 ? min(adaptation, 1.0) : 0.0) + 0.6034);
}

float locally_encoded(float light, float exponent) { return light > 0.0 ? pow(min(light, 1e15), exponent) : 0.0; }

vec4 locally_encoded_rgb(vec4 c, float exponent) {
  return vec4(locally_encoded(c.r, exponent), locally_encoded(c.g, exponent), locally_encoded(c.b, exponent), c.a);
}

// `c` has no negative R, G or B. Light without chromaticity becomes white.
vec4 locally_encoded_yxy(vec4 c, float exponent) {
  const bool is_nowhere = isnan(c.g) || isnan(c.b);
  return vec4(locally_encoded(c.r, exponent), is_nowhere ? WHITE : c.gb, c.a);
}
