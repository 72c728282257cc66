// Texels that a texel of the next level covers, and their weights.

// Texels of a side of n that texel i of the next level covers: 2i, 2i+1 and, where n is odd, 2i+2.
int tap_count(int n) { return n == 1 ? 1 : 2 + (n & 1); }

// Their weights. NVIDIA 2005, polyphase box filter: every texel of the side counts the same in the whole level.
vec3 area_weights(int n, int i) {
  if (n == 1) return vec3(1, 0, 0);
  if ((n & 1) == 0) return vec3(0.5, 0.5, 0);
  const int m = n >> 1;
  return vec3(m - i, m, i + 1) / float(n);
}
