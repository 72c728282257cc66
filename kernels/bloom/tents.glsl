// Weights of the pyramid; core/ops/bloom/reference.h defines the tents. The middle of coarse texel i is at 2 i + 1 + p
// in fine texels, with p = (i + 1/2) step. `step` is the width of a coarse texel minus 2; it is 0 if the fine side is
// even.

float step_of(int fine, int coarse) { return (fine & 1) == 1 ? 1.0 / float(coarse) : 0.0; }

float square(float x) { return x * x; }

// Weights of fine texels 2 i - 1 to 2 i + 3 in coarse texel i; the last is 0 for even sides. Beyond the middles of the
// first and the last texel, tents are 1 up to the border.
float[5] weights_down(int fine, int coarse, int i) {
  if (fine == 1) return float[5](0.0, 1.0, 0.0, 0.0, 0.0);
  const float step = step_of(fine, coarse), p = (float(i) + 0.5) * step, share = 1.0 / (2.0 + step);
  const bool has_left = i > 0, has_right = i + 1 < coarse;
  const float fall = 0.5 * share * ((has_left ? square(p) : 0.0) + (has_right ? square(1.0 - p) : 0.0));
  return float[5](has_left ? 0.5 * square(share * (1.0 - p + step)) : 0.0,
                  has_left ? share * (1.0 - share * (0.5 + p)) : share, share * (1.0 - fall),
                  has_right ? share * (1.0 - share * (1.5 - p)) : step > 0.0 ? share : 0.0,
                  has_right ? 0.5 * square(share * (p + step)) : 0.0);
}

// Weights of coarse texels at / 2 - 1 to at / 2 + 1 in fine texel `at`.
vec3 weights_up(int fine, int coarse, int at) {
  const float step = step_of(fine, coarse), share = 1.0 / (2.0 + step);
  if ((at & 1) == 0) {
    const float second = share * (1.5 - (float(at / 2) - 0.5) * step);
    return vec3(1.0 - second, second, 0.0);
  }
  const float p = (float(at / 2) + 0.5) * step;
  const float first = 0.5 * share * square(p), last = 0.5 * share * square(1.0 - p);
  return vec3(first, 1.0 - first - last, last);
}
