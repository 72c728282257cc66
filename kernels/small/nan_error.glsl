// Counts texels that contain NaN or infinity.
vec4 nan_error(vec4 c, nan_error_params p) {
  if (!all(lessThanEqual(abs(c), vec4(3.40282347e38)))) atomicAdd(statistics[p.counted_at], 1u);
  return c;
}
