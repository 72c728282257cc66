// A second picture over, under or mixed with the picture. Texel (0, 0) of the target lies at (corner_x, corner_y) of it.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"

// A share of 0 takes nothing, of infinite light too.
vec4 share_of(vec4 light, float share) { return share == 0.0 ? vec4(0.0) : light * share; }

vec4 merged(vec4 s, vec4 d, float opacity) {
  const float sa = coverage_of(s.a), da = coverage_of(d.a), both = sa + da - sa * da;
#if MODE == MODE_OVER
  return vec4((s + share_of(d, 1.0 - sa)).rgb, both);
#elif MODE == MODE_UNDER
  return vec4((d + share_of(s, 1.0 - da)).rgb, both);
#elif MODE == MODE_ADD
  return vec4((s + d).rgb, max(sa, da));
#elif MODE == MODE_SCREEN
  return vec4((s + d - min(s, vec4(sa)) * min(d, vec4(da))).rgb, both);
#elif MODE == MODE_MIX
  return vec4((s + share_of(d, 1.0 - opacity)).rgb, sa + (1.0 - opacity) * da);
#else
  const vec4 beside = share_of(s, 1.0 - da) + share_of(d, 1.0 - sa), a = s * da, b = d * sa;
#if MODE == MODE_MULTIPLY
  return vec4((beside + s * d).rgb, both);
#elif MODE == MODE_MIN
  return vec4((beside + mix(b, a, lessThan(a, b))).rgb, both);
#elif MODE == MODE_MAX
  return vec4((beside + mix(a, b, lessThan(a, b))).rgb, both);
#else
  return vec4((beside + abs(a - b)).rgb, both);
#endif
#endif
}

void make(ivec2 at) {
  const ivec2 place = at + ivec2(corner_x, corner_y);
  const vec4 c = load(at);
  const bool is_inside = all(greaterThanEqual(place, ivec2(0))) && all(lessThan(place, ivec2(other_width, other_height)));
  if (!is_inside) {
    store(at, c);
    return;
  }
  store(at, of_rgb(merged(share_of(as_rgb(load_second(place)), opacity), as_rgb(c), opacity)));
}
