// Layout of `statistics[]` from `at` on, as in core/ops/stats/reference.h. Counts are integers, all else is float.
// Values are 0 if nothing was measured.

// For luminance and each component: mean, minimum and maximum of finite values.
const int spread_count = 5;
int mean_of(int at, int spread) { return at + 3 * spread; }
int least_of(int at, int spread) { return at + 3 * spread + 1; }
int largest_of(int at, int spread) { return at + 3 * spread + 2; }

// Log average of luminances above 0.
int log_average_of(int at) { return at + 3 * spread_count; }

// A measured value, clamped so that ratios are finite floats; 0 becomes the smallest value.
float bounded(float number) { return clamp(number, exp2(-120.0), exp2(120.0)); }

// Counts for a channel: NaN (0), infinite (1), negative (2) and zero (3).
int count_of(int at, int spread, int kind) { return at + 3 * spread_count + 1 + 4 * spread + kind; }

// Luminances above 0 by their logarithm, an eighth of a stop a bin, 2^-128 to 2^128. The logarithm of
// 1 is the edge of bin 1024.
const int bin_count = 2048;
int bin_of(int at, int bin) { return count_of(at, spread_count, 0) + bin; }
int bin_of_logarithm(float logarithm) {
  return int(clamp(floor(8.0 * logarithm) + 1024.0, 0.0, float(bin_count - 1)));
}

// For luminance and each component: the standard deviation, and what the mean of finite values is above mean_of().
int deviation_of(int at, int spread) { return bin_of(at, bin_count) + 2 * spread; }
int mean_offset_of(int at, int spread) { return deviation_of(at, spread) + 1; }
