vec4 matrix(vec4 c, matrix_params p) {
  const vec4 light = vec4(c.rgb, coverage_of(c.a));
  return vec4(dot(vec4(p.rr, p.rg, p.rb, p.r1), light), dot(vec4(p.gr, p.gg, p.gb, p.g1), light),
              dot(vec4(p.br, p.bg, p.bb, p.b1), light), c.a);
}
