vec4 saturation(vec4 c, saturation_params p) {
  const float luminance = dot(vec3(p.red_weight, p.green_weight, p.blue_weight), c.rgb);
  // scaled by 1/2, because the difference of two values may overflow although the result does not
  precise const vec3 half_distance = 0.5 * c.rgb - 0.5 * luminance;
  return vec4(2.0 * (0.5 * luminance + p.factor * half_distance), c.a);
}
