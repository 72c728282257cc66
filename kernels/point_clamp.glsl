vec4 clamp(vec4 c, clamp_params p) {
  const vec3 high = mix(c.rgb, vec3(p.max), greaterThan(c.rgb, vec3(p.max)));
  return vec4(mix(high, vec3(p.min), lessThan(high, vec3(p.min))), c.a);  // what is no number stays
}
