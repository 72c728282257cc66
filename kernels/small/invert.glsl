vec4 invert(vec4 c, invert_params p) { return vec4(coverage_of(c.a) * p.white - c.rgb, c.a); }
