// Differences of two images with the same size and channels, which are float or uint.
#pragma once

#include "core/image/channel_place.h"

#include <optional>

namespace gpupost {

struct DifferenceOptions {
  double tolerance = 0;      // largest allowed difference
  bool is_relative = false;  // use |a - b| / max(|a|, |b|) instead of |a - b|
};

// Difference of two values: 0 if they are equal, both NaN, or the same infinity; infinite if only one is NaN or
// infinite.
double difference_of(double a, double b, bool is_relative);

// Differences of one channel.
struct ChannelDifference {
  double maximum = 0;
  Position worst;  // position of the maximum, the first of several
  double mean = 0;
  double root_mean_square = 0;
  double peak = 1;           // largest finite magnitude in the first image, at least 1
  bool is_relative = false;  // mean and others are of relative differences
  size_t over_count = 0, texel_count = 0;

  double over_percent() const { return 100 * double(over_count) / double(texel_count); }
  // Peak signal-to-noise ratio in dB, 20 log10(peak / root mean square); infinite without differences. Empty for relative
  // differences, which have no peak.
  std::optional<double> psnr() const;
};

// Difference of two channels, which are both uint or both not.
ChannelDifference difference_of(const ChannelPlace& a, const ChannelPlace& b, const DifferenceOptions& options);

// An image of the differences times `scale`, as floats without alpha. Differences of alpha show in red, green and blue
// if they are larger. A channel that is uint in one image only is infinitely different.
Picture picture_of_difference(const Picture& a, const Picture& b, bool is_relative, double scale);

}  // namespace gpupost
