// Color and its alpha. Light whose alpha is 0 or not finite is not multiplied by it: it stays what it is. Under the
// smallest normal number an alpha is 0, as devices may have it.

bool is_transparent(float alpha) { return abs(alpha) < 1.17549435e-38; }
bool is_factor(float alpha) { return abs(alpha) >= 1.17549435e-38 && abs(alpha) <= 3.40282347e38; }

// An H100 divides by way of the reciprocal, which is 0 of the largest numbers: 2^64 is taken out of them and of what is
// divided. No half is as large (HALF_ALPHAS), and there it would cost 5 % of a pass.
vec4 unpremultiply(vec4 c) {
#ifdef HALF_ALPHAS
  const float scale = 1.0;
#else
  const float scale = abs(c.a) > 1.8446744e19 ? 5.4210109e-20 : 1.0;
#endif
  return is_factor(c.a) ? vec4(scale * c.rgb / (scale * c.a), c.a) : c;
}
// What premultiplied color gets for 1 that is added to straight color.
float coverage_of(float alpha) { return is_transparent(alpha) ? 0.0 : is_factor(alpha) ? alpha : 1.0; }
vec4 premultiply(vec4 c) { return is_factor(c.a) ? vec4(c.rgb * c.a, c.a) : c; }
