// Fits a pair of endpoints of BC7 to texels that share it. The encoder tries modes with it.
#pragma once

#include "core/codec/blocks/bc7_modes.h"

#include <array>
#include <cstdint>

namespace gpupost::bc7 {

using Four = float __attribute__((vector_size(16)));  // SSE2 has instructions for them
using Quads = std::array<Four, 4>;                    // a value a texel

// Texels with some of their channels, padded to whole fours.
struct Group {
  int channel_count = 0, texel_count = 0, quad_count = 0;
  std::array<uint8_t, 16> texels{};  // their positions in the block
  std::array<Quads, 4> values;       // by channel, integers from 0 to 255
  Quads is_used;                     // 1, and 0 for padding
};

struct PairFormat {
  int bits;  // of an endpoint's channel, without p bit
  int index_bits;
  PBits p_bits;
  bool p_bits_are_1 = false;
};

// Stored numbers of an endpoint's channel for each of 0 to 255, without p bit, and half of what is between two of them.
constexpr float scale_of(int bits, int p_bit) { return float((1 << (bits + p_bit)) - 1) / float(255 << p_bit); }
constexpr float half_step_of(int bits, int p_bit) { return 0.5f / scale_of(bits, p_bit); }

struct PairFit {
  float error = 0;  // sum of squared differences of the decoded integers; exact, as it is below 2^24
  std::array<std::array<int, 4>, 2> endpoints{};  // as stored, without p bit
  std::array<int, 2> p_bits{};
  Indices indices{};  // in the order of the group's texels
};

enum class Effort { quick, thorough };

PairFit fit_pair(const Group& group, const PairFormat& format, Effort effort);

}  // namespace gpupost::bc7
