// Positions of texels of a scaled image on a side of the source.

// The texel that contains a position, and its distance from that texel's left edge in 1 / (2 * to) texels.
struct Position {
  int texel, rest;
};

// The middle of texel i of the target is ((2 i + 1) from + phase) / (2 to). That product overflows 32 bits on long sides, so
// `from` is split into ratio * to + part. (2 i + 1) part fits: resize makes at most 32768 texels a side, and mips have a part of
// 0 or 1.
Position middle_of(int i, int from, int to, int phase) {
  const int twice = 2 * i + 1, ratio = from / to, part = from % to;
  const int rest = (twice * ratio % 2) * to + twice * part % (2 * to) + phase;
  const int below = rest < 0 ? 2 * to - 1 : 0;  // so that the division rounds down
  const int whole = (rest - below) / (2 * to);
  return Position(twice * ratio / 2 + twice * part / (2 * to) + whole, rest - whole * 2 * to);
}
