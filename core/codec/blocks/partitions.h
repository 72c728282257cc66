// Partitions of the blocks of BC7 and BC6H (Khronos Data Format Specification 1.3, chapter BPTC): which of two or three pairs
// of endpoints a texel has.
#pragma once

#include <array>
#include <cstdint>

namespace gpupost {

extern const std::array<uint16_t, 64> pairs_of_two;    // bit i: the pair of texel i. BC6H has the first 32 partitions
extern const std::array<uint32_t, 64> pairs_of_three;  // bits 2 i and 2 i + 1: the pair of texel i
// The texel of the second or third pair whose index lacks its highest bit. Of the first pair it is texel 0.
extern const std::array<uint8_t, 64> anchors_of_two, second_anchors_of_three, third_anchors_of_three;

}  // namespace gpupost
