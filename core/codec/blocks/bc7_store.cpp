#include "core/codec/blocks/bc7_store.h"

#include <utility>

namespace gpupost::bc7 {
namespace {

// Puts fields from the lowest bit of a block on.
class BitWriter {
 public:
  // At most 8 bits.
  void put(int value, int bits) {
    const uint64_t field = uint64_t(value);
    if (at_ < 64) low_ |= field << at_;
    if (at_ >= 64) high_ |= field << (at_ - 64);
    else if (at_ + bits > 64) high_ |= field >> (64 - at_);
    at_ += bits;
  }
  void store(std::byte* block) const {
    for (int byte = 0; byte < 8; ++byte) {
      block[byte] = std::byte(low_ >> (8 * byte) & 255);
      block[byte + 8] = std::byte(high_ >> (8 * byte) & 255);
    }
  }

 private:
  uint64_t low_ = 0, high_ = 0;
  int at_ = 0;
};

// If the anchor of a pair has an index with the highest bit set: swaps the endpoints and counts from the other one.
// `indices` are those of `channel_count` channels from `first_channel` on.
void normalize(Choice& choice, Indices& indices, int index_bits, size_t first_channel, size_t channel_count) {
  const int pair_count = modes[size_t(choice.mode)].pair_count, last = (1 << index_bits) - 1;
  for (int pair = 0; pair < pair_count; ++pair) {
    if (indices[size_t(anchor_of(pair_count, choice.partition, pair))] <= last / 2) continue;
    const size_t first = 2 * size_t(pair);
    for (size_t c = first_channel; c < first_channel + channel_count; ++c)
      std::swap(choice.endpoints[first][c], choice.endpoints[first + 1][c]);
    std::swap(choice.p_bits[first], choice.p_bits[first + 1]);
    for (int texel = 0; texel < 16; ++texel)
      if (pair_of(pair_count, choice.partition, texel) == pair)
        indices[size_t(texel)] = uint8_t(last - indices[size_t(texel)]);
  }
}

void normalize(Choice& choice) {
  const Mode& mode = modes[size_t(choice.mode)];
  if (mode.second_index_bits == 0) return normalize(choice, choice.indices, mode.index_bits, 0, 4);
  const size_t channels = choice.selection == 0 ? 3 : 1;  // that have the first indices
  normalize(choice, choice.indices, mode.index_bits, channels == 3 ? 0 : 3, channels);
  normalize(choice, choice.second_indices, mode.second_index_bits, channels == 3 ? 3 : 0, 4 - channels);
}

void put_indices(BitWriter& writer, const Choice& choice, const Indices& indices, int bits) {
  const int pair_count = modes[size_t(choice.mode)].pair_count;
  for (int texel = 0; texel < 16; ++texel) {
    const int pair = pair_of(pair_count, choice.partition, texel);
    writer.put(indices[size_t(texel)], bits - (anchor_of(pair_count, choice.partition, pair) == texel));
  }
}

void put_endpoints(BitWriter& writer, const Choice& choice) {
  const Mode& mode = modes[size_t(choice.mode)];
  const size_t endpoint_count = 2 * size_t(mode.pair_count);
  for (size_t channel = 0; channel < 4; ++channel)
    for (size_t endpoint = 0; endpoint < endpoint_count; ++endpoint)
      writer.put(choice.endpoints[endpoint][channel], channel < 3 ? mode.color_bits : mode.alpha_bits);
  if (mode.p_bits == PBits::none) return;
  for (size_t endpoint = 0; endpoint < endpoint_count; endpoint += mode.p_bits == PBits::own ? 1 : 2)
    writer.put(choice.p_bits[endpoint], 1);
}

}  // namespace

void store(Choice choice, std::byte* block) {
  const Mode& mode = modes[size_t(choice.mode)];
  normalize(choice);
  BitWriter writer;
  writer.put(1 << choice.mode, choice.mode + 1);
  writer.put(choice.partition, mode.partition_bits);
  writer.put(choice.rotation, mode.rotation_bits);
  writer.put(choice.selection, mode.selection_bits);
  put_endpoints(writer, choice);
  put_indices(writer, choice, choice.indices, mode.index_bits);
  if (mode.second_index_bits != 0) put_indices(writer, choice, choice.second_indices, mode.second_index_bits);
  writer.store(block);
}

}  // namespace gpupost::bc7
