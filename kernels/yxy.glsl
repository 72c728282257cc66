// CIE Yxy: the luminance and where it lies on the chromaticity diagram. Means are made of X, Y and Z, which is
// weighting x and y by Y / y.

vec4 xyz_of(vec4 yxy) {
  const float sum = yxy.b != 0.0 ? yxy.r / yxy.b : 0.0;
  return vec4(yxy.g * sum, yxy.r, (1.0 - yxy.g - yxy.b) * sum, yxy.a);
}

// Black, which lies nowhere, takes the white point D65; so does what is infinite.
vec4 yxy_of(vec4 xyz) {
  const float sum = xyz.r + xyz.g + xyz.b;
  const bool is_nowhere = abs(sum) <= 1e-12 || isinf(sum);
  return vec4(xyz.g, is_nowhere ? vec2(0.3127, 0.3290) : xyz.rg / sum, xyz.a);
}
