// Summands of a guided filter that depend on the picture, an image for each channel p: p times the guide, and p.
#include "guided/texel.glsl"
#include "lib/each_texel.glsl"

void make(ivec2 at) {
  const Texel t = texel_of(as_rgb(load(at)), at);
  const vec3 weighted = t.weight * t.color;
  store(at, weighted.r * vec4(t.guide, 1.0));
  store_more0(at, weighted.g * vec4(t.guide, 1.0));
  store_more1(at, weighted.b * vec4(t.guide, 1.0));
}
