// Light times two to the power of the stops.
vec4 exposure(vec4 c, exposure_params p) { return vec4(p.factor * c.rgb, c.a); }
