// Premultiplied and straight color. If alpha is 0 or not finite, color does not change. Denormal alpha counts as 0,
// because devices may flush it.

bool is_transparent(float alpha) { return abs(alpha) < 1.17549435e-38; }
bool is_factor(float alpha) { return abs(alpha) >= 1.17549435e-38 && abs(alpha) <= 3.40282347e38; }

// An H100 divides by multiplying with the reciprocal, which is 0 for the largest values, so both operands are scaled by
// 2^-64. Half values are not that large (HALF_ALPHAS), and the scaling would cost 5 % of a pass.
vec4 unpremultiply(vec4 c) {
#ifdef HALF_ALPHAS
  const float scale = 1.0;
#else
  const float scale = abs(c.a) > 1.8446744e19 ? 5.4210109e-20 : 1.0;
#endif
  return is_factor(c.a) ? vec4(scale * c.rgb / (scale * c.a), c.a) : c;
}
// Factor of a straight constant for premultiplied color.
float coverage_of(float alpha) { return is_transparent(alpha) ? 0.0 : is_factor(alpha) ? alpha : 1.0; }
vec4 premultiply(vec4 c) { return is_factor(c.a) ? vec4(c.rgb * c.a, c.a) : c; }
