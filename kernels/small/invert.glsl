vec4 invert(vec4 c, invert_params p) {
  const bvec3 is_changed = notEqual(vec3(p.red, p.green, p.blue), vec3(0.0));
  return vec4(mix(c.rgb, coverage_of(c.a) * p.white - c.rgb, is_changed), c.a);
}
