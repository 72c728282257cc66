vec4 premultiply(vec4 c, premultiply_params p) { return is_transparent(c.a) ? vec4(vec3(0.0), c.a) : premultiply(c); }
