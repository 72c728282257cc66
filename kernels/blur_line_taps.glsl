// Any symmetric kernel along lines: each texel is read once and added, with its weight, to those of eight neighbouring sums
// that it belongs to. It is not added to the others with a weight of 0, since that times an infinity is no number.
#include "blur_line.glsl"

vec4 sums[8];
float insides[8];  // the weights of a sum's texels that lie on the picture

void add(int j, int t, float weight, vec4 c) {
  sums[j] += weight * c;
#if BORDER == 4
  insides[j] += is_inside(t, SIDE) ? weight : 0.0;
#endif
}

void main() {
  const int first = int(gl_WorkGroupID.y) * 8;
  [[unroll]] for (int j = 0; j < 8; ++j) {
    sums[j] = vec4(0.0);
    insides[j] = 0.0;
  }
  float weights[11];
  [[unroll]] for (int k = 0; k < 7; ++k) weights[k] = k <= LEAST ? table[k] : 0.0;
  float edge[7] = float[](weights[0], weights[1], weights[2], weights[3], weights[4], weights[5], weights[6]);
  [[unroll]] for (int i = 0; i < 7; ++i) {
    if (i > LEAST) break;
    const int t = first - radius + i;
    const vec4 c = line_texel(t);
    [[unroll]] for (int j = 0; j <= i; ++j) add(j, t, edge[i - j], c);
  }
  for (int i = 7; i <= 2 * radius; ++i) {
    const int t = first - radius + i;
    const vec4 c = line_texel(t);
    weights[7] = table[i];
    [[unroll]] for (int j = 0; j < 8; ++j) add(j, t, weights[7 - j], c);
    [[unroll]] for (int k = 0; k < 7; ++k) weights[k] = weights[k + 1];
  }
  [[unroll]] for (int i = 0; i < 7; ++i) {
    const int t = first + radius + 1 + i;
    const vec4 c = line_texel(t);
    [[unroll]] for (int j = i + 1; j < 8; ++j)
      if (j - 1 - i <= LEAST) add(j, t, edge[j - 1 - i], c);
  }
  const float whole = IS_FIRST == 1 ? 2.0 : 1.0;  // sums of halved weights
  [[unroll]] for (int j = 0; j < 8; ++j) store_sum(first + j, sums[j], whole * insides[j]);
}
