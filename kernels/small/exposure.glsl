// Multiplies light by 2^stops.
vec4 exposure(vec4 c, exposure_params p) { return vec4(p.factor * c.rgb, c.a); }
