// An estimate of how well each partition of BC6H can represent a block.
#pragma once

#include <array>
#include <cstddef>

namespace gpupost::bc6h {

constexpr size_t partition_count = 32;
using Lanes = std::array<float, 16>;  // a number for each texel
using PartitionLanes = std::array<float, partition_count>;

// In an order that suits vectors of 4 numbers.
inline float sum(const Lanes& lanes) {
  std::array<float, 4> parts;
  for (size_t i = 0; i < 4; ++i) parts[i] = (lanes[i] + lanes[i + 4]) + (lanes[i + 8] + lanes[i + 12]);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

// The share of the squared distances along a line that its 8 steps represent.
constexpr float part_on_steps = 0.98f;

// For each partition, the sum of the squared distances of the texels from the best line of their pair, with an
// allowance for the steps along the line.
PartitionLanes residuals_of(const std::array<Lanes, 3>& channels);

}  // namespace gpupost::bc6h
