// Any symmetric kernel along lines, for GPUs: each texel is read once for a run of RUN sums, as many as registers hold.
// It is added to those alone that it belongs to, since an infinity with a weight of 0 is no number. Weights are a ring:
// weight i lies in place i % RUN. Behind the first RUN texels, `runs` times RUN and REST of them go to all sums.
#include "blur/line.glsl"

vec4 sums[RUN];
float weights[RUN];
float inside[RUN];  // the weights of each sum's texels that lie on the picture

// Adds texel t, whose weight in sum 0 lies in place k, to sums first..last.
void add(int t, int k, int first, int last) {
  const vec4 c = line_texel(t);
  [[unroll]] for (int j = 0; j < RUN; ++j)
    if (j >= first && j <= last) sums[j] += weights[(k - j + RUN) % RUN] * c;
#if BORDER == 4
  const float is_in = is_inside(t, SIDE) ? 1.0 : 0.0;
  [[unroll]] for (int j = 0; j < RUN; ++j)
    if (j >= first && j <= last) inside[j] += weights[(k - j + RUN) % RUN] * is_in;
#endif
}

void main() {
  const int first = RUN * int(gl_GlobalInvocationID.y);
  int t = first - radius, next = 0;
  [[unroll]] for (int j = 0; j < RUN; ++j) {
    sums[j] = vec4(0.0);
    inside[j] = 0.0;
  }
  // texels that enter one sum after the other, those of all, and those that leave one after the other
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
  [[unroll]] for (int j = 0; j < RUN; ++j) inside[j] *= 2.0;  // of halved weights
#endif
  [[unroll]] for (int j = 0; j < RUN; ++j) store_sum(first + j, sums[j], inside[j]);
}
