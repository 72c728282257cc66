// Conversion of values for files and images.

const float largest_float = 3.40282347e38;

// A value as stored by integer files; NaN becomes 0.
float unit(float value) { return value > 0.0 ? min(value, 1.0) : 0.0; }
