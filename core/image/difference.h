// How far the numbers of two pictures are apart. Both have the same size and the same channels, and hold floats or uints.
#pragma once

#include "core/image/picture.h"

namespace gpupost {

struct DifferenceOptions {
  double tolerance = 0;      // a difference over it counts
  bool is_relative = false;  // |a - b| / max(|a|, |b|) in the place of |a - b|
};

// Of two numbers: 0 for two equal numbers, two NaN or two equal infinities, infinite where only one is NaN, or where one is
// infinite.
double difference_of(double a, double b, bool is_relative);

// All texels of one channel.
struct ChannelDifference {
  double maximum = 0;
  Position worst;  // where the maximum is; the first of several
  double mean = 0;
  double root_mean_square = 0;
  double peak = 1;  // largest finite magnitude of the first picture, at least 1
  size_t over_count = 0, texel_count = 0;

  double over_percent() const { return 100 * double(over_count) / double(texel_count); }
  // Peak signal to noise ratio in dB, 20 log10(peak / root mean square): infinite without a difference.
  double psnr() const;
};

ChannelDifference difference_of(const Group& a, const Group& b, size_t component, const DifferenceOptions& options);

// A picture of the differences times `scale`, as floats. It has no alpha: what differs in alpha is in red, green and blue where
// it is larger than their own difference.
Picture picture_of_difference(const Picture& a, const Picture& b, bool is_relative, double scale);

}  // namespace gpupost
