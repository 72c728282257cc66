// Sums of boxes along lines, O(1) in the radius. Nothing is ever subtracted: what is infinite or no number leaves with
// its texel, and a bright texel takes no bits of the dark ones behind it.
//
// The windows of eight neighbors have all but seven texels at each end in common: window j is the suffix from j of
// the seven that leave, the common middle, and the prefix to j of those that enter. The middle is REST texels and then
// whole blocks of eight, as many as `blocks`; they are a queue of two stacks. The older blocks are kept as suffix
// sums, the younger ones as their running total; whenever the older ones are used up, the younger ones become them.
#include "blur/line_box.glsl"

vec4 queue[CAPACITY];

// Makes eight sums starting at texel `first` around a sum of whole blocks. Returns the sum of the next block. The terms
// are written out, because copies that spirv-opt makes of a loop lose `precise`.
vec4 store_block(int first, vec4 middle) {
#define MIDDLE(i) \
  if (REST > i) middle = with_term(middle, first + 7 - radius + i);
  MIDDLE(0)
  MIDDLE(1)
  MIDDLE(2)
  MIDDLE(3)
  MIDDLE(4)
  MIDDLE(5)
  MIDDLE(6)
  vec4 suffixes[8];
  suffixes[7] = middle;
#define SUFFIX(j) suffixes[j] = with_term(suffixes[j + 1], first - radius + j);
  SUFFIX(6)
  SUFFIX(5)
  SUFFIX(4)
  SUFFIX(3)
  SUFFIX(2)
  SUFFIX(1)
  SUFFIX(0)
  vec4 entered = vec4(0.0);
#define SUM(j) \
  store_sum(first + j, suffixes[j] + entered, inside(first + j)); \
  entered = with_term(entered, first + radius + 1 + j);
  SUM(0)
  SUM(1)
  SUM(2)
  SUM(3)
  SUM(4)
  SUM(5)
  SUM(6)
  SUM(7)
  return entered;
}

void main() {
  const int first = part * segment;
  const int end = min(first + segment, SIDE);
  for (int k = 0; k < blocks; ++k) {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 8; ++i) sum = with_term(sum, first + 7 - radius + REST + 8 * k + i);
    queue[k] = sum;
  }
  for (int round = first; round < end; round += 8 * blocks) {
    vec4 older = vec4(0.0);
    for (int k = blocks - 1; k >= 0; --k) {
      older += queue[k];
      queue[k] = older;
    }
    vec4 younger = vec4(0.0);
    for (int k = 0; k < blocks; ++k) {
#if AXIS == AXIS_Y
      // Threads that advance together read and write whole cache lines.
      barrier();
#endif
      const vec4 entered = store_block(round + 8 * k, queue[k] + younger);
      queue[k] = entered;
      younger += entered;
    }
  }
}
