// Summands of a guided filter that depend on the guide I: I and the weight, and the products of its components.
#include "guided/texel.glsl"
#include "lib/each_texel.glsl"

void make(ivec2 at) {
  const Texel t = texel_of(as_rgb(load(at)), at);
  const vec3 weighted = t.weight * t.guide;
  store(at, vec4(weighted, t.weight));
  store_more0(at, vec4(weighted * t.guide, weighted.r * t.guide.g));
  store_more1(at, vec4(weighted.r * t.guide.b, weighted.g * t.guide.b, 0.0, 0.0));
}
