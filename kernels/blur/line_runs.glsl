// Symmetric kernel along lines. Each texel is read once for RUN sums in registers. It is added only to the
// sums that contain it, because infinity times a weight of 0 is NaN. Weights are in a ring: weight i is at i % RUN.
// After the first RUN texels, `runs` times RUN plus REST texels go to all sums.
#include "blur/line.glsl"

vec4 sums[RUN];
float weights[RUN];
float inside[RUN];  // sum of the weights inside the image, for each sum

// Adds texel t to sums first..last. k: index of its weight in sum 0.
void add(int t, int k, int first, int last) {
  const vec4 c = line_texel(t);
  [[unroll]] for (int j = 0; j < RUN; ++j)
    if (j >= first && j <= last) sums[j] += weights[(k - j + RUN) % RUN] * c;
#if BORDER == BORDER_RENORMALIZE
  const float is_in = is_inside(t, SIDE) ? 1.0 : 0.0;
  [[unroll]] for (int j = 0; j < RUN; ++j)
    if (j >= first && j <= last) inside[j] += weights[(k - j + RUN) % RUN] * is_in;
#endif
}

void main() {
  const int first = RUN * part;
  int t = first - radius, next = 0;
  [[unroll]] for (int j = 0; j < RUN; ++j) {
    sums[j] = vec4(0.0);
    inside[j] = 0.0;
  }
  // first texels that enter sum after sum, then texels of all sums, then texels that leave sum after sum
  [[unroll]] for (int k = 0; k < RUN; ++k) {
    weights[k] = table[next++];
    add(t++, k, 0, k);
  }
  for (int run = 0; run < runs; ++run) {
    [[unroll]] for (int k = 0; k < RUN; ++k) {
      weights[k] = table[next++];
      add(t++, k, 0, RUN - 1);
    }
  }
  [[unroll]] for (int k = 0; k < REST; ++k) {
    weights[k] = table[next++];
    add(t++, k, 0, RUN - 1);
  }
  [[unroll]] for (int k = 1; k < RUN; ++k) add(t++, (REST + k - 1) % RUN, k, RUN - 1);
#if IS_FIRST
  [[unroll]] for (int j = 0; j < RUN; ++j) inside[j] *= 2.0;  // because weights are halved
#endif
  [[unroll]] for (int j = 0; j < RUN; ++j) store_sum(first + j, sums[j], inside[j]);
}
