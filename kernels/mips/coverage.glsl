// The share of a picture that an alpha test lets through, by samples: 4x4 of them between each four neighboring
// texels.

// A bisection of [0, 4] tries ten of the scales 1 to 1023 of alpha, 512 first, which is 1.
const int scale_count = 1024;
float scale_at(int index) {
  const float part = float(index - 512) / 512.0;
  return index <= 512 ? 1.0 + part : 1.0 + 3.0 * part;
}

// Where the plan's statistics keep what: the covered samples of level 0 at counts_at, the scale of a level as far behind it
// as its number, and how many of a level's samples are let through by scale k + 1 and none below from bins_of(level) on.
int bins_of(int level) { return counts_at + scale_count * level; }
