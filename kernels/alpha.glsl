// Colour and its alpha. Light that has no alpha is not multiplied by it: it stays what it is.

vec4 straight(vec4 c) { return c.a != 0.0 ? vec4(c.rgb / c.a, c.a) : c; }
vec4 premultiplied(vec4 c) { return c.a != 0.0 ? vec4(c.rgb * c.a, c.a) : c; }
