// Applies a local curve, which uses the luminance that each texel is adapted to.
#include "lib/each_texel.glsl"

void make(ivec2 at) {
  adaptation = load_second(at).r;
  store(at, load(at));
}
