// The numbers of a texel that are measured.
#include "generated/color_constants.glsl"

const float most = 3.40282347e38;

// Value `spread` of a texel: its luminance (Rec. 709, linear), or a component.
float number_of(int spread, vec4 c) {
  return spread == 0 ? dot(c.rgb, XYZ_OF_REC709[1]) : c[spread - 1];
}

// Whether R, G or B (for luminance), or the component, is NaN.
bool is_nan(int spread, vec4 c) { return spread == 0 ? any(isnan(c.rgb)) : isnan(c[spread - 1]); }

// Whether R, G and B (for luminance), or the component, are finite.
bool is_finite(int spread, vec4 c) {
  const bvec4 finite = lessThanEqual(abs(c), vec4(most));
  return spread == 0 ? all(finite.rgb) : finite[spread - 1];
}
