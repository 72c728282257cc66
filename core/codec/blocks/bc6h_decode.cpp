#include "core/codec/blocks/bc6h.h"
#include "core/codec/blocks/bc6h_modes.h"
#include "core/codec/blocks/partitions.h"

#include <cstdlib>

namespace gpupost {
namespace bc6h {
namespace {

using Endpoints = std::array<int, 12>;  // as in Fields

Block block_at(const std::byte* bytes) {
  Block block{};
  for (size_t i = 0; i < 16; ++i) block[i / 8] |= uint64_t(bytes[i]) << 8 * (i % 8);
  return block;
}

int extend_sign(uint32_t value, int bits) {
  const uint32_t sign = 1u << (bits - 1);
  return int((value & (2 * sign - 1)) ^ sign) - int(sign);
}

Endpoints endpoints_of(const Fields& fields, const Mode& mode, bool is_signed) {
  Endpoints endpoints{};
  for (size_t i = 0; i < 6 * size_t(mode.pair_count); ++i) {
    const uint32_t mask = (1u << mode.endpoint_bits) - 1;
    uint32_t value = fields[i];
    if (mode.has_deltas && i >= 3)
      value = (fields[i % 3] + uint32_t(extend_sign(value, mode.delta_bits[i % 3]))) & mask;
    endpoints[i] = is_signed ? unquantize_signed(extend_sign(value, mode.endpoint_bits), mode.endpoint_bits)
                             : unquantize(int(value), mode.endpoint_bits);
  }
  return endpoints;
}

uint16_t half_of(int interpolated, bool is_signed) {
  if (!is_signed) return uint16_t(interpolated * 31 >> 6);
  const int size = std::abs(interpolated) * 31 >> 5;
  return uint16_t(interpolated < 0 && size > 0 ? 0x8000 | size : size);
}

// Returns 4 bits for each texel. The highest bit of an anchor is not in the block.
uint64_t indices_of(const Block& block, const Mode& mode, int second_anchor) {
  uint64_t indices = 0;
  size_t position = size_t(mode.index_start());
  for (int texel = 0; texel < 16; ++texel) {
    const bool is_anchor = texel == 0 || texel == second_anchor;
    for (int bit = 0; bit < mode.index_bits() - is_anchor; ++bit, ++position)
      indices |= (block[position / 64] >> position % 64 & 1) << (4 * texel + bit);
  }
  return indices;
}

HalfTexels decode(const std::byte* block, bool is_signed) {
  HalfTexels texels;
  texels.fill({0, 0, 0, 0x3c00});
  const Block bits = block_at(block);
  const Mode* mode = mode_of(bits);
  if (!mode) return texels;
  const Fields fields = fields_of(bits, *mode);
  const Endpoints endpoints = endpoints_of(fields, *mode, is_signed);
  const bool has_two = mode->pair_count == 2;
  const uint32_t partition = fields[partition_field];
  const int pairs = has_two ? pairs_of_two[partition] : 0;
  const uint64_t indices = indices_of(bits, *mode, has_two ? anchors_of_two[partition] : 0);
  for (size_t texel = 0; texel < 16; ++texel) {
    const size_t index = indices >> 4 * texel & 15, first = 6 * size_t(pairs >> texel & 1);
    const int weight = has_two ? weights_of_8[index] : weights_of_16[index];
    for (size_t c = 0; c < 3; ++c) {
      const int sum = endpoints[first + c] * (64 - weight) + endpoints[first + 3 + c] * weight;
      texels[texel][c] = half_of((sum + 32) >> 6, is_signed);
    }
  }
  return texels;
}

}  // namespace
}  // namespace bc6h

HalfTexels decode_bc6h(const std::byte* block, bool is_signed) { return bc6h::decode(block, is_signed); }

}  // namespace gpupost
