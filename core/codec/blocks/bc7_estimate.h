// Estimates how well the partitions of BC7 suit a block, so that the encoder fits endpoints only in the best ones.
#pragma once

#include "core/codec/blocks/bc7_fit.h"

#include <array>

namespace gpupost::bc7 {

// Sums of squared distances from the best line through the texels of each pair and, along that line, from the mean.
struct LineErrors {
  std::array<float, 64> off, along;  // by partition
};

// `all` has the 16 texels of a block in their order, with 3 or 4 channels. `pair_count` is 2 or 3.
LineErrors line_errors(const Group& all, int pair_count);

// By rotation, of the line through the other channels; `single` is the sum of squares of the channel that is apart.
struct RotationErrors {
  std::array<float, 4> off, along, single;
};

RotationErrors rotation_errors(const Group& all);

}  // namespace gpupost::bc7
