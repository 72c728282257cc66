#include "brightpass/threshold.glsl"

vec4 brightpass(vec4 c, brightpass_params p) {
  return with_light(c, bright(p.scale * c.r, p.threshold, p.knee, p.limit));
}
