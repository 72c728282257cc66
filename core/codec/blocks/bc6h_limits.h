// The partitions, modes and rounds that the encoder of BC6H tries.
#pragma once

#include <array>
#include <cstddef>

namespace gpupost::bc6h {

// The encoder tries one pair, then two pairs with the partitions of the least residuals.
constexpr int tried_partitions = 4;
constexpr int rounds = 3;  // each chooses endpoints, then indices
// The encoder gives a partition up if its error is this many times the least one. More rounds seldom halve an error.
constexpr float largest_error_ratio = 2;

// From the most endpoint bits to the fewest.
constexpr std::array<size_t, 4> modes_of_one_pair{13, 12, 11, 10};
constexpr std::array<size_t, 10> modes_of_two_pairs{2, 3, 4, 0, 5, 6, 7, 8, 1, 9};

}  // namespace gpupost::bc6h
