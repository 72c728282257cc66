#include "tonemap/math.glsl"

// Curves of one value: light in [0, 1e15] to display light. core/ops/tonemap/curves.cpp has their sources.

float reinhard(float light) { return light / (1.0 + light); }

float reinhard_extended(float light, float white) { return light * (1.0 + light / white / white) / (1.0 + light); }

float reinhard_local(float light, float adaptation, float white) {
  return light * (1.0 + light / white / white) / (1.0 + adaptation);
}

float day(float x, float w, float b, float t, float s, float c) {
  const float k = (1.0 - t) * (c - b) / ((1.0 - s) * (w - c) + (1.0 - t) * (c - b));
  const float toe = k * (1.0 - t) * (x - b) / (c - (1.0 - t) * b - t * min(x, c));
  const float shoulder = (1.0 - k) * (x - c) / (s * max(x, c) + (1.0 - s) * w - c) + k;
  return clamp(x < c ? toe : shoulder, 0.0, 1.0);
}

// (x (a x + c b) + d e) / (x (a x + b) + d f) - e / f, on one denominator.
float filmic(float x, float a, float b, float c, float d, float e, float f) {
  return x * (a * (f - e) * x + b * (c * f - e)) / (f * (x * (a * x + b) + d * f));
}

float hable(float light, float w, float a, float b, float c, float d, float e, float f) {
  return filmic(2.0 * light, a, b, c, d, e, f) / filmic(w, a, b, c, d, e, f);
}

float drago(float light, float maximum, float average, float display, float bias) {
  const float exponent = log(bias) / log(0.5);
  const float share = log_of_one_plus(light / average) / log_of_one_plus(maximum / average);
  return display / 100.0 * log(10.0) * share / log(2.0 + 8.0 * pow(light / maximum, exponent));
}

float exponential(float light, float average) { return one_minus_exp(light / average); }

float logarithmic(float light, float maximum, float strength) {
  return log_of_one_plus(strength * light) / log_of_one_plus(strength * maximum);
}

float ward(float light, float average, float display) {
  const float visible = (1.219 + pow(display / 2.0, 0.4)) / (1.219 + pow(average, 0.4));
  return min(1.0, light / display * pow(visible, 2.5));
}

float narkowicz(float x) { return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0); }

float lottes(float x, float white, float contrast, float shoulder, float mid_in, float mid_out) {
  const float both = contrast * shoulder;
  const float high = pow(white, contrast), high_both = pow(white, both);
  const float mid = pow(mid_in, contrast), mid_both = pow(mid_in, both);
  const float divisor = (high_both - mid_both) * mid_out;
  const float b = (high * mid_out - mid) / divisor, c = (high_both * mid - high * mid_both * mid_out) / divisor;
  return pow(x, contrast) / (pow(x, both) * b + c);
}

float uchimura(float x, float p, float a, float m, float l, float c, float b) {
  const float l0 = (p - m) * l / a, s1 = m + a * l0;
  const float toe = m * pow(min(x / m, 1.0), c) + b, linear = m + a * (x - m);
  const float shoulder = s1 + (p - s1) * one_minus_exp(a * max(x - m - l0, 0.0) / (p - s1));
  const float rise = smoothstep(0.0, m, x);
  return mix(toe, x < m + l0 ? linear : shoulder, rise);
}
