// Decodes a block of BC7.
#include "core/codec/blocks/bc7.h"
#include "core/codec/blocks/bc7_modes.h"

#include <utility>

namespace gpupost {
namespace bc7 {
namespace {

// Takes fields from the lowest bit of a block on.
class BitReader {
 public:
  explicit BitReader(const std::byte* block) {
    for (int byte = 0; byte < 8; ++byte) {
      low_ |= uint64_t(block[byte]) << (8 * byte);
      high_ |= uint64_t(block[byte + 8]) << (8 * byte);
    }
  }

  // At most 8 bits.
  int take(int bits) {
    const int value = int(low_ & ((1u << bits) - 1));
    low_ = low_ >> bits | (high_ << 1) << (63 - bits);
    high_ >>= bits;
    return value;
  }

 private:
  uint64_t low_ = 0, high_ = 0;
};

struct Fields {
  Mode mode;
  int partition = 0, rotation = 0, selection = 0;
  std::array<std::array<int, 4>, 6> endpoints{};  // two a pair, widened to 8 bits
  Indices indices{}, second_indices{};
};

void take_p_bits(BitReader& reader, Fields& fields) {
  const int endpoint_count = 2 * fields.mode.pair_count;
  for (int endpoint = 0, bit = 0; endpoint < endpoint_count; ++endpoint) {
    if (fields.mode.p_bits == PBits::own || endpoint % 2 == 0) bit = reader.take(1);
    for (int& value : fields.endpoints[size_t(endpoint)]) value = value << 1 | bit;
  }
}

void take_endpoints(BitReader& reader, Fields& fields) {
  const Mode& mode = fields.mode;
  const int endpoint_count = 2 * mode.pair_count, p_bit = mode.p_bits != PBits::none;
  for (size_t channel = 0; channel < 4; ++channel)
    for (int endpoint = 0; endpoint < endpoint_count; ++endpoint)
      fields.endpoints[size_t(endpoint)][channel] = reader.take(channel < 3 ? mode.color_bits : mode.alpha_bits);
  if (p_bit) take_p_bits(reader, fields);
  for (auto& endpoint : fields.endpoints)
    for (size_t channel = 0; channel < 4; ++channel) {
      const int bits = channel < 3 ? mode.color_bits : mode.alpha_bits;
      endpoint[channel] = bits == 0 ? 255 : widen(endpoint[channel], bits + p_bit);
    }
}

Indices take_indices(BitReader& reader, const Fields& fields, int bits) {
  const int pair_count = fields.mode.pair_count;
  Indices indices;
  for (int texel = 0; texel < 16; ++texel) {
    const int pair = pair_of(pair_count, fields.partition, texel);
    const bool is_anchor = anchor_of(pair_count, fields.partition, pair) == texel;
    indices[size_t(texel)] = uint8_t(reader.take(bits - is_anchor));
  }
  return indices;
}

Fields fields_of(int mode, BitReader& reader) {
  Fields fields{.mode = modes[size_t(mode)]};
  fields.partition = reader.take(fields.mode.partition_bits);
  fields.rotation = reader.take(fields.mode.rotation_bits);
  fields.selection = reader.take(fields.mode.selection_bits);
  take_endpoints(reader, fields);
  fields.indices = take_indices(reader, fields, fields.mode.index_bits);
  if (fields.mode.second_index_bits != 0)
    fields.second_indices = take_indices(reader, fields, fields.mode.second_index_bits);
  return fields;
}

std::array<uint8_t, 4> texel_of(const Fields& fields, size_t texel) {
  const Mode& mode = fields.mode;
  int color_weight = weight_of(mode.index_bits, fields.indices[texel]), alpha_weight = color_weight;
  if (mode.second_index_bits != 0) alpha_weight = weight_of(mode.second_index_bits, fields.second_indices[texel]);
  if (fields.selection == 1) std::swap(color_weight, alpha_weight);
  const size_t first = 2 * size_t(pair_of(mode.pair_count, fields.partition, int(texel)));
  std::array<uint8_t, 4> result;
  for (size_t channel = 0; channel < 4; ++channel)
    result[channel] = uint8_t(interpolate(fields.endpoints[first][channel], fields.endpoints[first + 1][channel],
                                          channel < 3 ? color_weight : alpha_weight));
  if (fields.rotation != 0) std::swap(result[3], result[size_t(fields.rotation - 1)]);
  return result;
}

}  // namespace
}  // namespace bc7

ByteTexels decode_bc7(const std::byte* block) {
  bc7::BitReader reader(block);
  int mode = 0;
  while (mode < 8 && reader.take(1) == 0) ++mode;
  if (mode == 8) return {};
  const bc7::Fields fields = bc7::fields_of(mode, reader);
  ByteTexels texels;
  for (size_t texel = 0; texel < 16; ++texel) texels[texel] = bc7::texel_of(fields, texel);
  return texels;
}

}  // namespace gpupost
