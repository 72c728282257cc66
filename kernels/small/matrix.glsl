vec4 matrix(vec4 c, matrix_params p) {
  const vec4 light = vec4(c.rgb, coverage_of(c.a));
  // so that a sum overflows only if its result does
  const float scale = any(greaterThan(abs(c.rgb), vec3(1e37))) ? 0.125 : 1.0;
  const vec4 scaled = scale * light;
  return vec4(vec3(dot(vec4(p.rr, p.rg, p.rb, p.r1), scaled), dot(vec4(p.gr, p.gg, p.gb, p.g1), scaled),
                   dot(vec4(p.br, p.bg, p.bb, p.b1), scaled)) / scale, c.a);
}
