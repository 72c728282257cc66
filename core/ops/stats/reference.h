// What a picture's numbers are like: means, extremes, counts and a histogram of luminance. The definition in double, and what
// the device leaves of it in the statistics of a plan; kernels/stats/layout.glsl has the same layout.
#pragma once

#include "core/op/point.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>

namespace gpupost {

// Of the finite numbers among many; all 0 where none is finite.
struct ChannelStats {
  double mean = 0, least = 0, largest = 0;
  double deviation = 0;    // standard deviation: the root of the mean of squared distances from the mean
  double mean_offset = 0;  // what `mean` lacks as a float
  uint32_t nan_count = 0, infinite_count = 0;
  uint32_t negative_count = 0, zero_count = 0;  // among the finite ones

  uint32_t finite_count(size_t count) const { return uint32_t(count) - nan_count - infinite_count; }
};

// Luminances above 0 by their logarithm, an eighth of a stop a bin: bins for all floats, so that a picture that is scaled
// has the same histogram, moved.
struct Histogram {
  static constexpr int bins_a_stop = 8, least_stop = -128, stop_count = 256, bin_count = bins_a_stop * stop_count;
  std::array<uint32_t, bin_count> bins{};

  static int bin_of(double luminance);      // of a number above 0
  static double edge(double bin);           // the luminance at which bin `bin` begins
  uint64_t count() const;                   // of all bins
  double percentile(double percent) const;  // in [0, 100]; 0 where there is nothing
  // The average of the logarithms of what lies between two percentiles, as a luminance; 0 where there is nothing.
  double log_average(double low_percent, double high_percent) const;
};

// What is measured: all, or the luminance's mean, minimum and maximum alone with the counts of what is not finite.
enum class Measure { all, extremes };
Measure measure_of(const Call& call);  // of the op stats

struct Statistics {
  size_t texel_count = 0;
  ChannelStats luminance;  // of texels whose R, G and B are finite; it is no number where one of them is none
  std::array<ChannelStats, 4> components;  // each by itself
  double log_average = 0;                  // of luminances above 0; 0 where there are none
  Histogram histogram;                     // of luminance

  uint32_t positive_count() const;  // luminances above 0
};

// The definition.
Statistics statistics_of(const Planes& picture);

// Bounds of the log average if each value may be wrong by `error`. A luminance that may be 0 or less is uncertain: it may be left
// out, or count as any value from the smallest normal float up. The others count with their value, because point_tolerance() covers
// their errors. Both bounds are 0 if nothing counts.
struct LogAverageBounds {
  double low = 0, high = 0;
};
LogAverageBounds log_average_bounds(const Planes& picture, const Planes& error);
// Adds the difference of the results at both bounds to the tolerance. `made_with` returns the result for a log average; it must
// rise or fall with it.
void add_error_of_average(Planes& tolerance, const LogAverageBounds& bounds,
                          const std::function<Planes(double log_average)>& made_with);

// The layout of all that is measured, in units of 4 bytes: mean, least and largest of the luminance and of each component, the log average, the
// counts in the order of ChannelStats's, the histogram, the
// deviation and the offset of the mean of the luminance and of each component.
constexpr int spread_count = 5;
constexpr int log_average_at = 3 * spread_count;
constexpr int counts_at = log_average_at + 1;
constexpr int histogram_at = counts_at + 4 * spread_count;
constexpr int deviations_at = histogram_at + Histogram::bin_count;
constexpr int statistics_size = deviations_at + 2 * spread_count;

// The layout of extremes alone, for any number of parts of the picture: the sum of luminances by 2^-16, the least, the largest,
// and how many are not-a-number and infinite, 16 bits each.
constexpr int extremes_part_size = 4;
constexpr double extremes_sum_scale = 0x1p16;

// What the device has left of what was to be measured; what was not is 0.
Statistics statistics_of(std::span<const uint32_t> words, size_t texel_count, Measure measure);

}  // namespace gpupost
