// Half storage clamps: finite numbers that would round to infinity become the largest half, and are counted. Infinity and
// NaN stay. Few texels are as bright, so the common case is one branch.
#include "lib/count_clamped.glsl"

vec4 clamp_half(vec4 c) {
  const vec4 size = abs(c);
  if (!any(greaterThanEqual(size, vec4(65520.0)))) return c;
  const vec4 too_large = mix(vec4(0.0), vec4(greaterThanEqual(size, vec4(65520.0))),
                             lessThanEqual(size, vec4(3.40282347e38)));
  const float count = dot(too_large, vec4(1.0));
  if (count == 0.0) return c;
  count_clamped(count);
  return mix(c, sign(c) * 65504.0, greaterThan(too_large, vec4(0.0)));
}
