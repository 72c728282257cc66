// The modes of BC7, for its decoder and encoder. Khronos Data Format Specification 1.3, chapter BPTC.
#pragma once

#include "core/codec/blocks/partitions.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpupost::bc7 {

// A p bit is the lowest bit of all channels of an endpoint. Each endpoint has its own, or the two of a pair share one.
enum class PBits { none, own, shared };

// Bits of each field. Second indices are for alpha. If the selection bit is 1, color has them and alpha the first ones.
struct Mode {
  int pair_count, partition_bits, rotation_bits, selection_bits, color_bits, alpha_bits;
  PBits p_bits;
  int index_bits, second_index_bits;
};

// The number of a mode is the number of zero bits before the first one bit of the block.
constexpr std::array<Mode, 8> modes{{
    {3, 4, 0, 0, 4, 0, PBits::own, 3, 0},
    {2, 6, 0, 0, 6, 0, PBits::shared, 3, 0},
    {3, 6, 0, 0, 5, 0, PBits::none, 2, 0},
    {2, 6, 0, 0, 7, 0, PBits::own, 2, 0},
    {1, 0, 2, 1, 5, 6, PBits::none, 2, 3},
    {1, 0, 2, 0, 7, 8, PBits::none, 2, 2},
    {1, 0, 0, 0, 7, 7, PBits::own, 4, 0},
    {2, 6, 0, 0, 5, 5, PBits::own, 2, 0},
}};

using Indices = std::array<uint8_t, 16>;  // by texel

// Share of the second endpoint in 64ths, by index.
constexpr std::array<int, 4> weights_of_2_bits{0, 21, 43, 64};
constexpr std::array<int, 8> weights_of_3_bits{0, 9, 18, 27, 37, 46, 55, 64};
constexpr std::array<int, 16> weights_of_4_bits{0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

constexpr int weight_of(int index_bits, int index) {
  if (index_bits == 2) return weights_of_2_bits[size_t(index)];
  return index_bits == 3 ? weights_of_3_bits[size_t(index)] : weights_of_4_bits[size_t(index)];
}

// `value` of 4 to 8 bits as 8 bits: its highest bits fill the lowest ones.
constexpr int widen(int value, int bits) { return (value << (8 - bits)) | (value >> (2 * bits - 8)); }

constexpr int interpolate(int first, int second, int weight) {
  return ((64 - weight) * first + weight * second + 32) >> 6;
}

// The pair of endpoints that a texel has.
inline int pair_of(int pair_count, int partition, int texel) {
  if (pair_count == 1) return 0;
  if (pair_count == 2) return pairs_of_two[size_t(partition)] >> texel & 1;
  return int(pairs_of_three[size_t(partition)] >> (2 * texel) & 3);
}

// The texel of a pair whose index lacks its highest bit.
inline int anchor_of(int pair_count, int partition, int pair) {
  if (pair == 0) return 0;
  if (pair_count == 2) return anchors_of_two[size_t(partition)];
  return (pair == 1 ? second_anchors_of_three : third_anchors_of_three)[size_t(partition)];
}

}  // namespace gpupost::bc7
