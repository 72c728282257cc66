// Weights of filters. Positions are integers: distances are in units of 1 / (2 * to_side) source texels.

#include "lib/sinc.glsl"
#include "shared/middle.glsl"

Position middle_of(int i) { return middle_of(i, from_side, to_side, phase); }

// The modified Bessel function of order 0, for x up to 4: its power series.
float bessel_0(float x) {
  const float square = 0.25 * x * x;
  float term = 1.0, sum = 1.0;
  for (int k = 1; k < 14; ++k) {
    term *= square / float(k * k);
    sum += term;
  }
  return sum;
}

// x: distance from the middle, 0 or more, in texels of the coarser side
float curve(float x) {
#if FILTER == FILTER_TRIANGLE
  return max(0.0, 1.0 - x);
#elif FILTER == FILTER_KAISER
  return x < 3.0 ? sinc(x) * bessel_0(4.0 * sqrt(1.0 - x * x / 9.0)) / 11.3019219521363 : 0.0;
#elif FILTER == FILTER_MITCHELL
  const float to_end = 2.0 - x;
  return x < 1.0 ? (7.0 * x - 12.0) * x * x / 6.0 + 8.0 / 9.0
                 : x < 2.0 ? to_end * to_end * (8.0 - 7.0 * x) / 18.0 : 0.0;
#elif FILTER == FILTER_CATMULL_ROM
  const float to_end = 2.0 - x;
  return x < 1.0 ? (1.5 * x - 2.5) * x * x + 1.0 : x < 2.0 ? 0.5 * to_end * to_end * (1.0 - x) : 0.0;
#elif FILTER == FILTER_CUBIC
  const float to_end = 2.0 - x;
  return x < 1.0 ? 2.0 / 3.0 + (0.5 * x - 1.0) * x * x : x < 2.0 ? to_end * to_end * to_end / 6.0 : 0.0;
#elif FILTER == FILTER_GAUSSIAN
  return x < 3.0 ? exp(-2.0 * x * x) : 0.0;
#else
  const float lobes = FILTER == FILTER_LANCZOS2 ? 2.0 : FILTER == FILTER_LANCZOS4 ? 4.0 : FILTER == FILTER_LANCZOS6 ? 6.0 : 3.0;
  return x < lobes ? sinc(x) * sinc(x / lobes) : 0.0;
#endif
}

float weight_of(int distance) {
#if FILTER == FILTER_BOX
  // overlap of the source texel with the target texel
  const int whole = 2 * min(from_side, to_side);
  return float(clamp(from_side + to_side - abs(distance), 0, whole)) / float(whole);
#else
  return curve(abs(float(distance)) / float(2 * max(from_side, to_side)));
#endif
}
