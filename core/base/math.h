// Whole numbers that are divided or rounded up.
#pragma once

namespace gpupost {

// How many parts of `part` it takes to hold `count`, which is not negative.
template <class Integer>
constexpr Integer div_ceil(Integer count, Integer part) {
  return (count + part - 1) / part;
}

// The multiple of `step` that is `count` or next above it.
template <class Integer>
constexpr Integer round_up(Integer count, Integer step) {
  return div_ceil(count, step) * step;
}

}  // namespace gpupost
