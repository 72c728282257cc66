// Functions that are accurate near zero.

// 1 - exp(-x) for x >= 0.
float one_minus_exp(float x) {
  const float series = x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0 * (1.0 - x / 6.0)))));
  return x < 0.125 ? series : 1.0 - exp(-x);
}

// log(1 + x) for x >= 0.
float log_of_one_plus(float x) {
  const float s = x / (2.0 + x), square = s * s;
  const float series = 2.0 * s * (1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square / 7.0)));
  return x < 0.25 ? series : log(1.0 + x);
}
