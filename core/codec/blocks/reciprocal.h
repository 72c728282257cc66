// Reciprocals with the same bits on every machine. Devices divide with errors of their own, but add and multiply as IEEE 754 says.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace gpupost {

// The bits of a first guess: less those of the number, they are off by at most 12 percent. Each step squares the error.
constexpr uint32_t reciprocal_guess = 0x7ef311c7;
constexpr int reciprocal_steps = 3;

// 1 / `value`, to about the precision of a float. `value` is from 1e-30 to 1e37.
constexpr float reciprocal(float value) {
  float result = std::bit_cast<float>(reciprocal_guess - std::bit_cast<uint32_t>(value));
  for (int step = 0; step < reciprocal_steps; ++step) result = result * (2 - value * result);
  return result;
}

// 1 / count, for the number of texels in a group.
constexpr std::array<float, 17> reciprocals_of_counts = [] {
  std::array<float, 17> reciprocals{};
  for (size_t count = 1; count < reciprocals.size(); ++count) reciprocals[count] = 1 / float(count);
  return reciprocals;
}();

}  // namespace gpupost
