// Sums of boxes along lines, for short windows. A thread makes eight neighbors without a loop that depends on others: as
// in blur/line_sums.glsl, window j is the suffix from j of the seven texels that leave, the common middle of `in_all`
// texels, and the prefix to j of those that enter.
#include "blur/line_box.glsl"

// The other terms are written out, because copies that spirv-opt makes of a loop lose `precise`.
void main() {
  const int first = 8 * part;
  vec4 middle = vec4(0.0);
  for (int i = 0; i < in_all; ++i) middle = with_term(middle, first + 7 - radius + i);
  const vec4 suffix7 = middle;
#define SUFFIX(j, next) const vec4 suffix##j = with_term(suffix##next, first - radius + j);
  SUFFIX(6, 7)
  SUFFIX(5, 6)
  SUFFIX(4, 5)
  SUFFIX(3, 4)
  SUFFIX(2, 3)
  SUFFIX(1, 2)
  SUFFIX(0, 1)
  store_sum(first, suffix0, inside(first));
  vec4 entered = vec4(0.0);
#define SUM(j) \
  entered = with_term(entered, first + radius + j); \
  store_sum(first + j, suffix##j + entered, inside(first + j));
  SUM(1)
  SUM(2)
  SUM(3)
  SUM(4)
  SUM(5)
  SUM(6)
  SUM(7)
}
