// Multiplies light by key / measured luminance, within 126 stops so that the factor is a float. A black image does not
// change.
vec4 exposure_auto(vec4 c, exposure_auto_params p) {
  const float measured = uintBitsToFloat(statistics[p.measured_at]);
  const float factor = measured > 0.0 ? clamp(p.key / measured, exp2(-126.0), exp2(126.0)) : 1.0;
  return vec4(factor * c.rgb, c.a);
}
