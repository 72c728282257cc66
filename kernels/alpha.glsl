// Colour and its alpha. Light whose alpha is 0 or not finite is not multiplied by it: it stays what it is.

bool is_factor(float alpha) { return alpha != 0.0 && abs(alpha) <= 3.40282347e38; }
vec4 straight(vec4 c) { return is_factor(c.a) ? vec4(c.rgb / c.a, c.a) : c; }
vec4 premultiplied(vec4 c) { return is_factor(c.a) ? vec4(c.rgb * c.a, c.a) : c; }
