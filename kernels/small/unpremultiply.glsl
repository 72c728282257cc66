vec4 unpremultiply(vec4 c, unpremultiply_params p) { return unpremultiply(c); }
