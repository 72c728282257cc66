// What core/ops/stats/passes.cpp leaves in `statistics[]` from `at` on; core/ops/stats/reference.h has the same layout. All but
// counts are floats, 0 where the picture has no number to measure.

// Of the luminance and of each component: of finite numbers their mean, least and largest.
const int spread_count = 5;
int mean_of(int at, int spread) { return at + 3 * spread; }
int least_of(int at, int spread) { return at + 3 * spread + 1; }
int largest_of(int at, int spread) { return at + 3 * spread + 2; }

// Of luminances above 0.
int log_average_of(int at) { return at + 3 * spread_count; }

// A measured number, bounded so that its ratio to another stays a float; 0, where there is no light, becomes the least.
float bounded(float number) { return clamp(number, exp2(-120.0), exp2(120.0)); }

// How many numbers of a spread are not-a-number (0), infinite (1), and of the finite ones negative (2) and zero (3).
int count_of(int at, int spread, int kind) { return at + 3 * spread_count + 1 + 4 * spread + kind; }

// Luminances above 0 by their logarithm, an eighth of a stop a bin, 2^-128 to 2^128. The logarithm of
// 1 is the edge of bin 1024.
const int bin_count = 2048;
int bin_of(int at, int bin) { return count_of(at, spread_count, 0) + bin; }
int bin_of_logarithm(float logarithm) {
  return int(clamp(floor(8.0 * logarithm) + 1024.0, 0.0, float(bin_count - 1)));
}
