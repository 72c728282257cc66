// Adaptation goes on by one scale where the light around a texel is even; core/ops/tonemap/local_reference.h has the equations.
//
// The state of a texel: the luminance that it is adapted to so far, the share that has gone on to this scale, the mean at
// this scale, and by how much that is over the mean of the scale before.
//
// IS_FIRST: the source is the blur of the first scale, else the state that the pass before has left.
// MEASURES_MIDDLE: the middle is the picture's logarithmic average; else it is in `sharpness`.
#include "lib/each_texel.glsl"
#include "stats/layout.glsl"

float mean_of(vec4 sum) { return sum.r / sum.a; }

// 2^phi a / s^2, in the picture's own luminances.
float flatness() {
#if MEASURES_MIDDLE
  return sharpness * bounded(uintBitsToFloat(statistics[log_average_of(statistics_at)]));
#else
  return sharpness;
#endif
}

void make(ivec2 at) {
  const vec4 c = load(at);
  const vec4 state = IS_FIRST != 0 ? vec4(mean_of(c), 1.0, mean_of(c), 0.0) : c;
  const float mean = state.b, wider_mean = mean_of(load_second(at));
  const float activity = abs(mean - wider_mean) / (flatness() + mean);
  const float share = state.g * clamp(1.5 - activity / epsilon, 0.0, 1.0);
  store(at, vec4(state.r + share * state.a, share, wider_mean, wider_mean - mean));
}
