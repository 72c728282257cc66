vec4 offset(vec4 c, offset_params p) { return vec4(coverage_of(c.a) * vec3(p.red, p.green, p.blue) + c.rgb, c.a); }
