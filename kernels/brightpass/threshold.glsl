// The light above a threshold, as defined in core/ops/brightpass/reference.h. A limit of 0 means no limit.

float bright(float luminance, float threshold, float knee, float limit) {
  const float over = luminance - threshold;
  if (!(over > -knee)) return 0.0;
  const float rise = over + knee;
  const float passed = over < knee ? rise * (rise / (4.0 * knee)) : over;
  if (limit == 0.0) return passed;
  return isinf(passed) ? 1.0 : passed / (limit + passed);
}
