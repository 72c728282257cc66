// A second picture over, under or mixed with the picture. Texel (0, 0) of the target lies at (corner_x, corner_y) of it.
#include "lib/alpha.glsl"
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"

// A share of 0 takes nothing, of infinite light too.
vec4 share_of(vec4 light, float share) { return share == 0.0 ? vec4(0.0) : light * share; }

// d / s of straight colors, times da sa: 0 where s is 0 or denormal. Both are scaled, because some devices divide by multiplying
// with the reciprocal, which is 0 for the largest values.
vec4 quotient_of(vec4 d, vec4 s, float sa) {
  const vec4 scale = mix(vec4(1.0), vec4(5.4210109e-20), greaterThan(abs(s), vec4(1.8446744e19)));
  return mix(scale * d * sa * sa / (scale * s), vec4(0.0), lessThan(abs(s), vec4(1.17549435e-38)));
}

vec4 merged(vec4 s, vec4 d, float opacity) {
  const float sa = coverage_of(s.a), da = coverage_of(d.a);
  const float both = sa == 1.0 ? 1.0 : da + sa * (1.0 - da);  // opaque stays opaque, beside any alpha
#if MODE == MODE_OVER
  return vec4((s + share_of(d, 1.0 - sa)).rgb, both);
#elif MODE == MODE_UNDER
  return vec4((d + share_of(s, 1.0 - da)).rgb, both);
#elif MODE == MODE_ADD
  return vec4((s + d).rgb, max(sa, da));
#elif MODE == MODE_SUBTRACT
  return vec4((d - s).rgb, d.a);
#elif MODE == MODE_DIVIDE
  return vec4((share_of(d, 1.0 - sa) + quotient_of(d, s, sa)).rgb, d.a);
#elif MODE == MODE_MASK
  return vec4(share_of(d, sa).rgb, da * sa);
#elif MODE == MODE_STENCIL
  return vec4(share_of(d, 1.0 - sa).rgb, da * (1.0 - sa));
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
#if MODE == MODE_MASK
    store(at, vec4(0.0));
#else
    store(at, c);
#endif
    return;
  }
  store(at, of_rgb(merged(share_of(load_more0(place), opacity), as_rgb(c), opacity)));
}
