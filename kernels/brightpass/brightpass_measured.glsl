// Scales the luminance by key / measured log average. Black images stay black.
#include "brightpass/threshold.glsl"

vec4 brightpass_measured(vec4 c, brightpass_measured_params p) {
  const float measured = uintBitsToFloat(statistics[p.measured_at]);
  const float scale = measured > 0.0 ? p.key / measured : 0.0;
  return with_light(c, bright(scale * c.r, p.threshold, p.knee, p.limit));
}
