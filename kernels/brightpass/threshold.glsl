// The light of a picture above a threshold; core/ops/brightpass/reference.h says what is left of it. A limit of 0 is none.

float bright(float luminance, float threshold, float knee, float limit) {
  const float over = luminance - threshold;
  if (!(over > -knee)) return 0.0;
  const float rise = over + knee;
  const float passed = over < knee ? rise * (rise / (4.0 * knee)) : over;
  if (limit == 0.0) return passed;
  return isinf(passed) ? 1.0 : passed / (limit + passed);
}
