// Channels replaced by those of other pictures. RED_FILE and so on: which of them, -1: none. RED_CHANNEL: its component.
#include "lib/each_texel.glsl"
#include "lib/in_rgb.glsl"

void make(ivec2 at) {
  vec4 c = as_rgb(load(at));
  vec4 files[4];
  files[0] = load_more0(at);
#if FILE_COUNT > 1
  files[1] = load_more1(at);
#endif
#if FILE_COUNT > 2
  files[2] = load_more2(at);
#endif
#if FILE_COUNT > 3
  files[3] = load_more3(at);
#endif
#if RED_FILE >= 0
  c.r = files[RED_FILE][RED_CHANNEL];
#endif
#if GREEN_FILE >= 0
  c.g = files[GREEN_FILE][GREEN_CHANNEL];
#endif
#if BLUE_FILE >= 0
  c.b = files[BLUE_FILE][BLUE_CHANNEL];
#endif
#if ALPHA_FILE >= 0
  c.a = files[ALPHA_FILE][ALPHA_CHANNEL];
#endif
  store(at, of_rgb(c));
}
