// Coverage of an alpha test: 4x4 samples between each four neighboring texels.

// The bisection of [0, 4] tries ten of the scales 1 to SCALE_COUNT - 1 of alpha; the first is the middle one, which means 1.
float scale_at(int index) {
  const float part = float(index - SCALE_COUNT / 2) / float(SCALE_COUNT / 2);
  return index <= SCALE_COUNT / 2 ? 1.0 + part : 1.0 + 3.0 * part;
}

// Layout of the statistics: covered samples of level 0 at counts_at; the scale of a level at counts_at + level; from
// bins_of(level), the number of samples that pass with scale k + 1 and with no smaller one.
int bins_of(int level) { return counts_at + SCALE_COUNT * level; }
