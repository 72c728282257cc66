// The means of the planes around each texel, load_more0() to load_more2(), applied to the guide.
#include "guided/texel.glsl"
#include "lib/each_texel.glsl"

float plane_at(vec4 plane, vec3 guide) { return dot(plane.rgb, guide) + plane.a; }

void make(ivec2 at) {
  const vec4 c = as_rgb(load(at));
  const Texel t = texel_of(c, at);
  const vec3 made =
      vec3(plane_at(load_more0(at), t.guide), plane_at(load_more1(at), t.guide), plane_at(load_more2(at), t.guide));
  store(at, of_rgb(t.weight == 0.0 ? c : vec4(made * coverage_of(c.a), c.a)));
}
