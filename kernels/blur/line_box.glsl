// Sums of boxes along lines: adds texels, and says how much of a box is inside the image.
#include "blur/line.glsl"

float weight = table[0];

// Adds texel t to a sum. precise: compilers may otherwise move the common factor out of the sum, which then overflows.
vec4 with_term(vec4 sum, int t) {
  precise const vec4 more = sum + weight * line_texel(t);
  return more;
}

float inside(int t) {
  return float(min(t + radius, SIDE - 1) - max(t - radius, 0) + 1) / float(2 * radius + 1);
}
