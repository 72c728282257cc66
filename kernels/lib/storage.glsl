// Conversion of values for files and images.

const float largest_float = 3.40282347e38;

// A value as stored by integer files; NaN becomes 0.
float unit(float value) { return value > 0.0 ? min(value, 1.0) : 0.0; }

// Four times a value, clamped to the largest storable one; infinity and NaN stay.
vec4 within_storage(vec4 c) {
  const vec4 clamped = 4.0 * clamp(c, vec4(-0.25 * largest_float), vec4(0.25 * largest_float));
  return mix(c, clamped, lessThanEqual(abs(c), vec4(2.0e38)));
}
