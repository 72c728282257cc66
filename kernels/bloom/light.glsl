// Extracts the light above the threshold. NaN and infinity become black.
#include "brightpass/threshold.glsl"
#include "generated/color_constants.glsl"

vec4 bloom_light(vec4 c, bloom_light_params p) {
  const bool is_light = abs(c.r) <= 3.40282347e38;
  return is_light ? vec4(bright(c.r, p.threshold, p.knee, 0.0), c.gba) : vec4(0.0, WHITE, 0.0);
}
