// Writes a block of BC7 from its fields.
#pragma once

#include "core/codec/blocks/bc7_modes.h"

#include <array>
#include <cstddef>

namespace gpupost::bc7 {

// Everything that a block stores, and how well it suits the block's texels.
struct Choice {
  int mode = 6, partition = 0, rotation = 0, selection = 0;
  float error = 0;                                // sum of squared differences of the decoded values
  std::array<std::array<int, 4>, 6> endpoints{};  // two a pair
  std::array<int, 6> p_bits{};
  Indices indices{}, second_indices{};
};

void store(Choice choice, std::byte* block);

}  // namespace gpupost::bc7
