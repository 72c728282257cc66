// A picture and its fields of texels of twice the side: load_more0() its circles, load_more1() how much the near field
// covers and the radius of the circle there, load_more2() the near field's light, load_second() what is behind it. A
// workgroup takes 16x16 texels.
#include "dof/layers.glsl"
#include "dof/part.glsl"
#include "lib/yxy.glsl"

// Converts a layer to the color space of this pass.
vec4 of_layer(vec4 c) {
#ifdef IN_XYZ
  return c;
#else
  return LAYERS_ARE_XYZ == 1 ? rgb_of_xyz(c) : c;
#endif
}

void main() {
  const int thread = int(gl_LocalInvocationIndex);
  const ivec2 at = TILE * ivec2(gl_WorkGroupID.xy) + ivec2(thread % TILE, thread / TILE);
  if (at.x >= end_x || at.y >= end_y) return;
  const vec4 c = load(at), own = is_finite(c) ? part * c : vec4(0.0);
  const float radius = load_more0(at).r;
  const ivec2 nearer = at / 2, last = (ivec2(end_x, end_y) + 1) / 2 - 1;
  const ivec2 other = clamp(nearer + 2 * (at & 1) - 1, ivec2(0), last);
  vec4 near_light = vec4(0.0), behind = vec4(0.0);
  float coverage = 0.0, weight = 0.0;
  for (int k = 0; k < 4; ++k) {
    const bvec2 is_other = bvec2((k & 1) != 0, (k & 2) != 0);
    const ivec2 from = ivec2(is_other.x ? other.x : nearer.x, is_other.y ? other.y : nearer.y);
    const float share = (is_other.x ? 0.25 : 0.75) * (is_other.y ? 0.25 : 0.75);
    near_light += share * (part * load_more2(from));
    const vec2 there = load_more1(from).rg;
    coverage += share * there.r;
    if (there.g * radius > 0.0) {
      behind += share * (part * load_second(from));
      weight += share;
    }
  }
  const float blurred = weight > 0.0 ? part_in_half(radius) : 0.0;
  behind = blurred > 0.0 ? mix(own, of_layer(behind / weight), blurred) : own;
  store(at, shown(c, radius, of_layer(near_light), coverage, behind));
}
