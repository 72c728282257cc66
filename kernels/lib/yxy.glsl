// CIE Yxy. Means are computed from X, Y and Z, which weights x and y by Y / y.

vec4 xyz_of(vec4 yxy) {
  const float sum = yxy.b != 0.0 ? yxy.r / yxy.b : 0.0;
  return vec4(yxy.g * sum, yxy.r, (1.0 - yxy.g - yxy.b) * sum, yxy.a);
}

// Black and infinite colors get the chromaticity of D65.
vec4 yxy_of(vec4 xyz) {
  const float sum = xyz.r + xyz.g + xyz.b;
  const bool is_nowhere = abs(sum) <= 1e-12 || isinf(sum);
  return vec4(xyz.g, is_nowhere ? vec2(0.3127, 0.3290) : xyz.rg / sum, xyz.a);
}

// Linear Rec.709 with the white point D65.
vec4 xyz_of_rgb(vec4 c) {
  return vec4(dot(vec3(0.4123907993, 0.3575843394, 0.1804807884), c.rgb),
              dot(vec3(0.2126390059, 0.7151686788, 0.0721923154), c.rgb),
              dot(vec3(0.0193308187, 0.1191947798, 0.9505321522), c.rgb), c.a);
}
vec4 rgb_of_xyz(vec4 c) {
  return vec4(dot(vec3(3.2409699419, -1.5373831776, -0.4986107603), c.rgb),
              dot(vec3(-0.9692436363, 1.8759675015, 0.0415550574), c.rgb),
              dot(vec3(0.0556300797, -0.2039769589, 1.0569715142), c.rgb), c.a);
}
