vec4 gain(vec4 c, gain_params p) { return vec4(vec3(p.red, p.green, p.blue) * c.rgb, c.a); }
