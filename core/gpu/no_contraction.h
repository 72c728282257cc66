// Forbids the compilers of drivers to contract a product and a sum to one operation, which rounds once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gpupost {

// Decorates all sums and products of floats that are not decorated yet.
std::vector<uint32_t> without_contraction(std::span<const uint32_t> spirv);

}  // namespace gpupost
