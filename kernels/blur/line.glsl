// Blurs along lines: rows or columns, as AXIS says. A thread makes several texels of a line one after another.
// Weights of the first pass are halved, so that sums of the largest values do not overflow; the last pass stores final
// values.
#include "blur/border.glsl"

#if AXIS == AXIS_X
#define SIDE width
#define LINE_COUNT height
#define radius radius_x
#else
#define SIDE height
#define LINE_COUNT width
#define radius radius_y
#endif

// The line of a thread, and which part of it the thread makes. Threads beyond the last line read the last line and store
// nothing. Neighboring threads take neighboring lines, or with IS_ALONG neighboring parts of a line.
#ifdef IS_ALONG
int line_index = int(gl_GlobalInvocationID.y), part = int(gl_GlobalInvocationID.x);
#else
int line_index = int(gl_GlobalInvocationID.x), part = int(gl_GlobalInvocationID.y);
#endif
int line = min(line_index, LINE_COUNT - 1);

ivec2 place(int t) { return AXIS == AXIS_X ? ivec2(t, line) : ivec2(line, t); }

vec4 line_texel(int t) {
  const vec4 c = load(place(continued(t, SIDE)));
#if BORDER == BORDER_BLACK || BORDER == BORDER_RENORMALIZE
  return is_inside(t, SIDE) ? c : vec4(0.0);
#else
  return c;
#endif
}

// Stores a sum. `inside`: share of the weights that are inside the image.
void store_sum(int t, vec4 sum, float inside) {
#if BORDER == BORDER_RENORMALIZE
  sum /= inside;
#endif
  if (line_index < LINE_COUNT && t < SIDE) store(place(t), IS_LAST == 1 ? stored(sum) : sum);
}
