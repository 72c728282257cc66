// What a lens makes of a texel, from the light of the near field, how much of the texel it covers, and what is behind
// it.
//
// SHOW: 0 the result, 1 circles, 2 the near field, 3 the far field, 4 how much of a texel the near field covers.
// Circles are shown as shares of LARGEST.
#include "lib/in_rgb.glsl"
#include "lib/storage.glsl"

const float part = 0.0625;  // values are scaled by this in sums, so that sums of the largest values do not overflow

bool is_finite(vec4 c) { return all(lessThanEqual(abs(c), vec4(3.40282347e38))); }

// Undoes the scale, and clamps to the largest value that can be stored.
vec4 whole(vec4 sum) { return clamp(sum, vec4(-part * largest_float), vec4(part * largest_float)) / part; }

// The texel itself if it is not finite. Inputs are scaled.
vec4 shown(vec4 c, float radius, vec4 near_light, float coverage, vec4 behind) {
#if SHOW == SHOW_RESULT
  if (!is_finite(c)) return c;
  return whole(coverage >= 1.0 ? near_light / coverage : near_light + (1.0 - coverage) * behind);
#elif SHOW == SHOW_COC
  return of_rgb(vec4(max(radius, 0.0) / float(LARGEST), max(-radius, 0.0) / float(LARGEST), 0.0, 1.0));
#elif SHOW == SHOW_NEAR
  return vec4(whole(near_light).rgb, 1.0);
#elif SHOW == SHOW_FAR
  return vec4(radius < -0.5 ? whole(behind).rgb : vec3(0.0), 1.0);
#else
  return of_rgb(vec4(vec3(min(coverage, 1.0)), 1.0));
#endif
}
