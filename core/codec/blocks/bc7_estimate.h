// Estimates how well the partitions and rotations of BC7 suit a block, for all of them at little cost.
#pragma once

#include "core/codec/blocks/bc7_fit.h"

#include <array>

namespace gpupost::bc7 {

// Sums of squared distances from the best line through the texels of each pair and, along that line, from the mean.
struct LineErrors {
  std::array<float, 64> off, along;  // by partition
};

// By rotation, of the line through the other channels; `single` is the sum of squares of the channel that is apart.
struct RotationErrors {
  std::array<float, 4> off, along, single;
};

struct Estimates {
  RotationErrors rotations;
  LineErrors two_pairs, three_pairs;
};

// `all` has the 16 texels of a block in their order. `three_pairs` is not set for 4 channels: no mode has them.
Estimates estimate(const Group& all);

}  // namespace gpupost::bc7
