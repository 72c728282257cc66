vec4 saturation(vec4 c, saturation_params p) {
  const float luminance = dot(vec3(0.2126390059, 0.7151686788, 0.0721923154), c.rgb);
  return vec4(luminance + p.factor * (c.rgb - luminance), c.a);
}
