// Pulls each texel from the position that a map gives, in shares of the frame's width and height.
#include "lib/each_texel.glsl"
#include "shared/sampling.glsl"

void make(ivec2 at) {
  vec2 st = load_more0(at).rg;
  if (!all(lessThanEqual(abs(st), vec2(largest_float)))) {
    store(at, vec4(0.0));
    return;
  }
#if ORIGIN == ORIGIN_BOTTOM
  st.y = 1.0 - st.y;
#endif
#if BORDER == BORDER_REPEAT
  st -= floor(st);
#elif BORDER == BORDER_MIRROR
  st -= 2.0 * floor(0.5 * st);
  st = min(st, 2.0 - st);
#endif
  // the same numbers as in the definition, so each operation is rounded
  precise const vec2 scaled = st * vec2(frame_width, frame_height);
  precise const vec2 moved = scaled + vec2(offset_x, offset_y);
  const vec2 place = clamp(moved, vec2(-1.0e5), vec2(1.0e5)), whole = floor(place);
  const ivec2 steps = ivec2(floor((place - whole) * float(1 << POSITION_BITS) + 0.5));
  store(at, of_rgb(sampled(ivec2(whole) + (steps >> POSITION_BITS), steps & ((1 << POSITION_BITS) - 1))));
}
