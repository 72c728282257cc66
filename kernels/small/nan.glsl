// Policy zero: NaN and infinity become 0. Clamp: infinity becomes the largest half.
vec4 nan(vec4 c, nan_params p) {
  const vec4 most = vec4(65504.0);
  const bvec4 is_number = lessThanEqual(abs(c), vec4(3.40282347e38));
  const vec4 instead = mix(vec4(0.0), sign(c) * most, lessThan(-abs(c), vec4(-3.40282347e38)));
  return mix(p.policy == NAN_POLICY_ZERO ? vec4(0.0) : instead, c, is_number);
}
