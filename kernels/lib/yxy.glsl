// CIE Yxy. Means are computed from X, Y and Z, which weights x and y by Y / y.
#include "generated/color_constants.glsl"

// The ratios come first, so that light near the largest float stays finite.
vec4 xyz_of(vec4 yxy) {
  const float ratio = yxy.b != 0.0 ? 1.0 / yxy.b : 0.0;
  const vec2 ratios = ratio * vec2(yxy.g, 1.0 - yxy.g - yxy.b);
  return vec4(ratios.x * yxy.r, yxy.r, ratios.y * yxy.r, yxy.a);
}

// Whether sums and products of the three may overflow, so that they are scaled first. A GPU's division by more than 2^126 gives 0, and
// blue light has sums of 17 times its Y. If all light were scaled, compilers would remove both factors.
bool may_overflow(vec4 xyz) { return abs(xyz.g) > 1e36; }

// Black and infinite colors get the chromaticity of D65.
vec4 yxy_of(vec4 xyz) {
  const vec3 part = may_overflow(xyz) ? 0.00390625 * xyz.rgb : xyz.rgb;
  const float sum = part.r + part.g + part.b;
  const bool is_nowhere = abs(sum) <= LEAST_XYZ_SUM || isinf(sum);
  return vec4(xyz.g, is_nowhere ? WHITE : part.rg / sum, xyz.a);
}

// Linear Rec.709 with the white point D65.
vec4 xyz_of_rgb(vec4 c) {
  return vec4(dot(XYZ_OF_REC709[0], c.rgb),
              dot(XYZ_OF_REC709[1], c.rgb),
              dot(XYZ_OF_REC709[2], c.rgb), c.a);
}
vec4 rgb_of_xyz(vec4 c) {
  const vec3 part = may_overflow(c) ? 0.0625 * c.rgb : c.rgb;
  const vec3 made = vec3(dot(REC709_OF_XYZ[0], part), dot(REC709_OF_XYZ[1], part), dot(REC709_OF_XYZ[2], part));
  return vec4(may_overflow(c) ? 16.0 * made : made, c.a);
}
// Infinite light is white.
vec4 rgb_of(vec4 yxy) {
  const vec4 of_one = rgb_of_xyz(xyz_of(vec4(1.0, yxy.gba)));
  return isinf(yxy.r) ? yxy.rrra : vec4(yxy.r * of_one.rgb, yxy.a);
}
// Replaces negative R, G and B by 0. Light near the largest float stays finite.
vec4 without_negatives(vec4 yxy) {
  const vec3 of_one = (yxy.r < 0.0 ? -1.0 : 1.0) * rgb_of_xyz(xyz_of(vec4(1.0, yxy.gba))).rgb;
  if (!any(lessThan(of_one, vec3(0.0)))) return yxy;
  const vec4 left = yxy_of(xyz_of_rgb(vec4(max(of_one, 0.0), yxy.a)));
  return vec4(abs(yxy.r) * left.r, left.gba);
}
