// Compresses the range for filters that overshoot, and expands it again, with the curve of OpenImageIO.
const float knee = 0.18;
const float curve_a = -0.545768857, curve_b = 0.183516696, curve_c = 284.357788, log_c = 5.65023326;

// Above 1e6 the 1 has no effect; without it the product cannot overflow.
float compressed(float x) {
  const float size = abs(x);
  if (!(size > knee)) return x;
  const float log_of = size > 1.0e6 ? log_c + log(size) : log(curve_c * size + 1.0);
  return sign(x) * (curve_a + curve_b * log_of);
}

float expanded(float y) {
  const float size = abs(y);
  if (!(size > knee)) return y;
  const float power = (size - curve_a) / curve_b;
  return sign(y) * (power > 20.0 ? exp(power - log_c) : (exp(power) - 1.0) / curve_c);
}
