#include "lib/signed_power.glsl"

// pivot * (c / pivot)^factor, without a quotient that may overflow
vec4 contrast(vec4 c, contrast_params p) { return vec4(p.scale * signed_power(c.rgb, p.factor), c.a); }
