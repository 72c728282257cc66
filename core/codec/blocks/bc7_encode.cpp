// Encodes a block of BC7: fits endpoints in the modes that may suit its texels and keeps the one with the least error.
#include "core/codec/blocks/bc7.h"
#include "core/codec/blocks/bc7_fit.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gpupost {
namespace bc7 {
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

using Indices = std::array<uint8_t, 16>;

// Everything that a block stores.
struct Choice {
  int mode = 6, partition = 0, rotation = 0, selection = 0;
  float error = 0;
  std::array<std::array<int, 4>, 6> endpoints{};  // two a pair
  std::array<int, 6> p_bits{};
  Indices indices{}, second_indices{};
};

// Swaps the endpoints of each pair whose anchor has an index with the highest bit set. Its texels then count from the other end.
void normalize(const Choice& choice, Indices& indices, int index_bits, size_t first_channel, size_t last_channel,
               Choice& result) {
  const int pair_count = modes[size_t(choice.mode)].pair_count, last = (1 << index_bits) - 1;
  for (int pair = 0; pair < pair_count; ++pair) {
    if (indices[size_t(anchor_of(pair_count, choice.partition, pair))] <= last / 2) continue;
    const size_t first = 2 * size_t(pair);
    for (size_t c = first_channel; c <= last_channel; ++c)
      std::swap(result.endpoints[first][c], result.endpoints[first + 1][c]);
    std::swap(result.p_bits[first], result.p_bits[first + 1]);
    for (int texel = 0; texel < 16; ++texel)
      if (pair_of(pair_count, choice.partition, texel) == pair)
        indices[size_t(texel)] = uint8_t(last - indices[size_t(texel)]);
  }
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

void store(Choice choice, std::byte* block) {
  const Mode& mode = modes[size_t(choice.mode)];
  if (mode.second_index_bits == 0) normalize(choice, choice.indices, mode.index_bits, 0, 3, choice);
  else {
    const size_t first = choice.selection == 0 ? 0 : 3;
    normalize(choice, choice.indices, mode.index_bits, first, first == 0 ? 2 : 3, choice);
    normalize(choice, choice.second_indices, mode.second_index_bits, 3 - first, first == 0 ? 3 : 2, choice);
  }
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

// Endpoints of 7 bits that give each value of 8 bits at the second of four indices.
constexpr auto exact_endpoints = [] {
  std::array<std::array<int, 2>, 256> endpoints{};
  for (auto& pair : endpoints) pair = {-1, -1};
  for (int distance = 127; distance >= -127; --distance)
    for (int first = std::max(0, -distance); first < std::min(128, 128 - distance); ++first) {
      const int second = first + distance;
      const int value = interpolate(widen(first, 7), widen(second, 7), weights_of_2_bits[1]);
      auto& pair = endpoints[size_t(value)];
      if (pair[0] < 0 || std::abs(distance) <= std::abs(pair[1] - pair[0])) pair = {first, second};
    }
  return endpoints;
}();

Choice choice_of_color(const std::array<uint8_t, 4>& color) {
  Choice choice{.mode = 5};
  for (size_t channel = 0; channel < 3; ++channel) {
    choice.endpoints[0][channel] = exact_endpoints[color[channel]][0];
    choice.endpoints[1][channel] = exact_endpoints[color[channel]][1];
  }
  choice.endpoints[0][3] = choice.endpoints[1][3] = color[3];
  choice.indices.fill(1);
  return choice;
}

Group all_texels(const ByteTexels& texels, int channel_count) {
  Group group{.channel_count = channel_count, .texel_count = 16, .padded_count = 16};
  group.is_used.fill(1);
  for (size_t texel = 0; texel < 16; ++texel) {
    group.texels[texel] = uint8_t(texel);
    for (size_t channel = 0; channel < 4; ++channel) group.values[channel][texel] = float(texels[texel][channel]);
  }
  return group;
}

// Keeps the best choice for the texels of a block.
class Encoder {
 public:
  explicit Encoder(const ByteTexels& texels)
      : is_opaque_(std::ranges::all_of(texels, [](const auto& texel) { return texel[3] == 255; })),
        all_(all_texels(texels, is_opaque_ ? 3 : 4)) {}

  Choice best() {
    try_mode_6();
    return best_;
  }

 private:
  void try_mode_6() {
    const PairFormat format{.bits = 7, .index_bits = 4, .p_bits = PBits::own, .p_bits_are_1 = is_opaque_};
    const PairFit fit = fit_pair(all_, format, 3);
    Choice choice{.mode = 6, .error = fit.error};
    for (size_t end = 0; end < 2; ++end) {
      choice.endpoints[end] = fit.endpoints[end];
      if (is_opaque_) choice.endpoints[end][3] = 127;
      choice.p_bits[end] = fit.p_bits[end];
    }
    choice.indices = fit.indices;
    best_ = choice;
  }

  const bool is_opaque_;
  const Group all_;
  Choice best_;
};

}  // namespace
}  // namespace bc7

void encode_bc7(const ByteTexels& texels, std::byte* block) {
  const bool is_one_color = std::ranges::all_of(texels, [&](const auto& texel) { return texel == texels[0]; });
  bc7::store(is_one_color ? bc7::choice_of_color(texels[0]) : bc7::Encoder(texels).best(), block);
}

}  // namespace gpupost
