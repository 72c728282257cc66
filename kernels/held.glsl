// What halves can hold: larger numbers are the largest half; infinities and what is no number stay.
vec4 held(vec4 c) {
  return mix(c, clamp(c, vec4(-65504.0), vec4(65504.0)), lessThanEqual(abs(c), vec4(3.40282347e38)));
}
