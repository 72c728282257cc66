// An estimate of how well each partition of BC6H can represent a block.
#pragma once

#include <array>
#include <cstddef>

namespace gpupost::bc6h {

constexpr size_t partition_count = 32;
using Lanes = std::array<float, 16>;  // a number for each texel
using PartitionLanes = std::array<float, partition_count>;

float sum(Lanes lanes);

// The sum over the texels of the square of the distance from the nearest line through the texels of the same pair, with an
// allowance for the steps along the line.
PartitionLanes residuals_of(const std::array<Lanes, 3>& channels);

}  // namespace gpupost::bc6h
