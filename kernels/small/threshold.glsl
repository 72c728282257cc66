vec4 threshold(vec4 c, threshold_params p) {
  if (is_transparent(c.a)) return vec4(vec3(0.0), c.a);
  const vec3 weights = vec3(p.red_weight, p.green_weight, p.blue_weight);
  const vec3 number = p.by == 0 ? c.rgb : vec3(dot(weights, c.rgb));
  return vec4(greaterThanEqual(number, vec3(p.level)), c.a);
}
