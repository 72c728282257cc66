// CIE Yxy. Means are computed from X, Y and Z, which weights x and y by Y / y.
#include "generated/color_constants.glsl"

vec4 xyz_of(vec4 yxy) {
  const float sum = yxy.b != 0.0 ? yxy.r / yxy.b : 0.0;
  return vec4(yxy.g * sum, yxy.r, (1.0 - yxy.g - yxy.b) * sum, yxy.a);
}

// Black and infinite colors get the chromaticity of D65.
vec4 yxy_of(vec4 xyz) {
  const float sum = xyz.r + xyz.g + xyz.b;
  const bool is_nowhere = abs(sum) <= 1e-12 || isinf(sum);
  return vec4(xyz.g, is_nowhere ? WHITE : xyz.rg / sum, xyz.a);
}

// Linear Rec.709 with the white point D65. Light beyond 2^126 counts as 2^126, so that X + Y + Z and its parts stay finite.
vec4 xyz_of_rgb(vec4 c) {
  const vec3 most = vec3(8.50705917e37);
  c.rgb = mix(c.rgb, clamp(c.rgb, -most, most), lessThanEqual(abs(c.rgb), vec3(3.40282347e38)));
  return vec4(dot(XYZ_OF_REC709[0], c.rgb),
              dot(XYZ_OF_REC709[1], c.rgb),
              dot(XYZ_OF_REC709[2], c.rgb), c.a);
}
vec4 rgb_of_xyz(vec4 c) {
  return vec4(dot(REC709_OF_XYZ[0], c.rgb),
              dot(REC709_OF_XYZ[1], c.rgb),
              dot(REC709_OF_XYZ[2], c.rgb), c.a);
}
// Infinite light is white.
vec4 rgb_of(vec4 yxy) { return isinf(yxy.r) ? yxy.rrra : rgb_of_xyz(xyz_of(yxy)); }
