// Numbers as files and images hold them.

const float largest_float = 3.40282347e38;

// A number as a file of integers would hold it; what is no number is 0.
float unit(float value) { return value > 0.0 ? min(value, 1.0) : 0.0; }
