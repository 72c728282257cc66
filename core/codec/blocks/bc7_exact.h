// Endpoints with which mode 5 of BC7 stores a block of one color exactly.
#pragma once

#include "core/codec/blocks/bc7_modes.h"

#include <array>
#include <cstddef>

namespace gpupost::bc7 {

// Endpoints of 7 bits that give each value of 8 bits at the second of four indices: the nearest ones to each other.
inline constexpr auto exact_endpoints = [] {
  std::array<std::array<int, 2>, 256> endpoints{};
  std::array<bool, 256> is_known{};
  for (int distance = 0; distance < 128; ++distance)
    for (int low = 0; low + distance < 128; ++low)
      for (const std::array<int, 2> pair : {std::array{low, low + distance}, std::array{low + distance, low}}) {
        const size_t value = size_t(interpolate(widen(pair[0], 7), widen(pair[1], 7), weights_of_2_bits[1]));
        if (!is_known[value]) endpoints[value] = pair;
        is_known[value] = true;
      }
  return endpoints;
}();

}  // namespace gpupost::bc7
