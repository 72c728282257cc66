// Sums of boxes along lines, O(1) in the radius. Nothing is ever subtracted: what is infinite or no number leaves with its
// texel, and a bright texel takes no bits of the dark ones behind it.
//
// The windows of eight neighbours have all but seven texels at each end in common: window j is the suffix from j of the
// seven that leave, the common middle, and the prefix to j of those that enter. The middle is REST texels and then whole
// blocks of eight, as many as `blocks`; they are a queue of two stacks. The older blocks are kept as suffix sums, the younger
// ones as their running total; whenever the older ones are used up, the younger ones become them.
#include "blur_line.glsl"

vec4 queue[CAPACITY];

float weight = table[0];

// precise: a sum that is weighted as a whole overflows
vec4 term(int t) {
  precise const vec4 weighted = weight * line_texel(t);
  return weighted;
}

float inside(int t) {
  return float(min(t + radius, SIDE - 1) - max(t - radius, 0) + 1) / float(2 * radius + 1);
}

// Eight sums from texel `first` on around a sum of whole blocks; returns that of the block that enters behind them.
vec4 store_block(int first, vec4 middle) {
  [[unroll]] for (int i = 0; i < REST; ++i) middle += term(first + 7 - radius + i);
  vec4 suffixes[8];
  suffixes[7] = middle;
  [[unroll]] for (int j = 6; j >= 0; --j) suffixes[j] = suffixes[j + 1] + term(first - radius + j);
  vec4 entered = vec4(0.0);
  [[unroll]] for (int j = 0; j < 8; ++j) {
    store_sum(first + j, suffixes[j] + entered, inside(first + j));
    entered += term(first + radius + 1 + j);
  }
  return entered;
}

void main() {
  const int first = int(gl_WorkGroupID.y) * segment;
  const int end = min(first + segment, SIDE);
  for (int k = 0; k < blocks; ++k) {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 8; ++i) sum += term(first + 7 - radius + REST + 8 * k + i);
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
#if AXIS == 1
      // Neighbours that go on together read and write whole lines of a cache.
      barrier();
#endif
      const vec4 entered = store_block(round + 8 * k, queue[k] + younger);
      queue[k] = entered;
      younger += entered;
    }
  }
}
