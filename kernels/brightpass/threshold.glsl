// The light above a threshold, as defined in core/ops/brightpass/reference.h. A limit of 0 means no limit.

// Light of no chromaticity is white.
vec4 with_light(vec4 c, float light) {
  const bool is_nowhere = isnan(c.g) || isnan(c.b);
  return vec4(light, is_nowhere ? WHITE : c.gb, c.a);
}

float bright(float luminance, float threshold, float knee, float limit) {
  const float over = luminance - threshold;
  const float rise = luminance - (threshold - knee);  // rounded as in the reference
  if (!(rise > 0.0)) return 0.0;
  const float passed = over < knee ? rise * (rise / (4.0 * knee)) : over;
  if (limit == 0.0) return passed;
  return isinf(passed) ? 1.0 : passed / (limit + passed);
}
