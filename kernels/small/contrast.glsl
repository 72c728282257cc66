#include "lib/signed_power.glsl"

// pivot * (c / pivot)^factor, with the pivot inside or outside of the power
vec4 contrast(vec4 c, contrast_params p) {
  const vec3 most = vec3(3.40282347e38);
  const vec3 inside = mix(c.rgb, clamp(p.inside * c.rgb, -most, most), lessThanEqual(abs(c.rgb), most));
  return vec4(p.outside * signed_power(inside, p.factor), c.a);
}
