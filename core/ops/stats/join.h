// Joins the statistics of tiles to those of the whole image.
#pragma once

#include "core/ops/stats/reference.h"

#include <vector>

namespace gpupost {

class StatisticsJoin {
 public:
  explicit StatisticsJoin(Measure measure) : measure_(measure) {}

  // Adds what the device measured of a tile with this many texels.
  void add(std::span<const uint32_t> words, size_t texel_count);
  // The statistics of all tiles, as the device would leave them for the whole image.
  std::vector<uint32_t> words() const;

 private:
  void add_squares(size_t index, const ChannelStats& from, double count, double count_before);

  Measure measure_;
  std::vector<uint32_t> parts_;  // of Measure::extremes
  Statistics all_;               // of Measure::all; without the means
  std::array<double, spread_count> sums_{}, means_{};
  std::array<double, spread_count> squares_{};  // sums of squared distances from means_
  double sum_of_logarithms_ = 0;
};

}  // namespace gpupost
