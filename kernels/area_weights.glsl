// Which texels of a side of n a texel i of the next level covers, and by how much: 2i, 2i+1 and, where n is odd, 2i+2.

int tap_count(int n) { return n == 1 ? 1 : 2 + (n & 1); }

// NVIDIA 2005, polyphase box filter: every texel of the side counts the same in the whole level.
float area_weight(int n, int i, int tap) {
  if (n == 1) return 1.0;
  if ((n & 1) == 0) return 0.5;
  const int m = n >> 1;
  return float(tap == 0 ? m - i : tap == 1 ? m : i + 1) / float(n);
}
