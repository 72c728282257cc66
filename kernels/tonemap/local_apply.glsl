// Tone mapping by a curve that takes the luminance that each texel is adapted to: what store() goes through reads it.
#include "lib/each_texel.glsl"

void make(ivec2 at) {
  adaptation = load_second(at).r;
  store(at, load(at));
}
