#include "lib/signed_power.glsl"

vec4 gamma(vec4 c, gamma_params p) { return vec4(signed_power(c.rgb, 1.0 / p.value), c.a); }
