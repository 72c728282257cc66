// Symmetric kernel along lines: each texel is read once and added, with its weight, to those of four neighboring sums
// that contain it. It is not added with a weight of 0, because infinity times 0 is NaN. LEAST is twice the radius, at
// most 3. Sums are separate variables, because drivers keep arrays in memory.
#include "blur/line.glsl"

vec4 sum0 = vec4(0.0), sum1 = vec4(0.0), sum2 = vec4(0.0), sum3 = vec4(0.0);
vec4 inside = vec4(0.0);  // sum of the weights inside the image, for each sum

// Adds the weight to `inside` if t is inside the image.
void add_inside(int t, vec4 weights) {
#if BORDER == BORDER_RENORMALIZE
  if (is_inside(t, SIDE)) inside += weights;
#endif
}

// Adds texel t to all four sums.
void add_to_all(int t, vec4 weights) {
  const vec4 c = line_texel(t);
  sum0 += weights.x * c;
  sum1 += weights.y * c;
  sum2 += weights.z * c;
  sum3 += weights.w * c;
  add_inside(t, weights);
}

void main() {
  const int first = 4 * part;
  int t = first - radius;
  const float w0 = table[PAD];
  vec4 c = line_texel(t);
  sum0 += w0 * c;
  add_inside(t++, vec4(w0, 0.0, 0.0, 0.0));
#if LEAST >= 2
  const float w1 = table[PAD + 1], w2 = table[PAD + 2];
  c = line_texel(t);
  sum0 += w1 * c;
  sum1 += w0 * c;
  add_inside(t++, vec4(w1, w0, 0.0, 0.0));
  c = line_texel(t);
  sum0 += w2 * c;
  sum1 += w1 * c;
  sum2 += w0 * c;
  add_inside(t++, vec4(w2, w1, w0, 0.0));
#else
  const float w1 = 0.0, w2 = 0.0;
#endif
#if LEAST == 3
  vec4 last = vec4(w2, w1, w0, 0.0);  // weights of the last texel for the four sums
#if REST == 2
  last = vec4(table[PAD + 3], last.xyz);
  add_to_all(t++, last);
  last = vec4(table[PAD + 4], last.xyz);
  add_to_all(t++, last);
#endif
  for (int four = 0; four < fours; ++four) {
    // read together, because a CPU needs as long for a table entry as for a texel
    const vec4 next = table4[(PAD + 3 + REST) / 4 + four];
    add_to_all(t, vec4(next.x, last.xyz));
    add_to_all(t + 1, vec4(next.yx, last.xy));
    add_to_all(t + 2, vec4(next.zyx, last.x));
    add_to_all(t + 3, next.wzyx);
    last = next.wzyx;
    t += 4;
  }
#endif
  c = line_texel(t);
  sum1 += w0 * c;
#if LEAST >= 2
  sum2 += w1 * c;
  sum3 += w2 * c;
#endif
  add_inside(t++, vec4(0.0, w0, w1, w2));
  c = line_texel(t);
  sum2 += w0 * c;
#if LEAST >= 2
  sum3 += w1 * c;
#endif
  add_inside(t++, vec4(0.0, 0.0, w0, w1));
  sum3 += w0 * line_texel(t);
  add_inside(t, vec4(0.0, 0.0, 0.0, w0));
#if IS_FIRST
  inside *= 2.0;  // because weights are halved
#endif
  store_sum(first, sum0, inside.x);
  store_sum(first + 1, sum1, inside.y);
  store_sum(first + 2, sum2, inside.z);
  store_sum(first + 3, sum3, inside.w);
}
