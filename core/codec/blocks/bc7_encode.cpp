// Encodes a block of BC7: fits endpoints in the modes that may suit its texels and keeps the one with the least error.
#include "core/codec/blocks/bc7.h"
#include "core/codec/blocks/bc7_estimate.h"
#include "core/codec/blocks/bc7_fit.h"

#include <algorithm>
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

// Everything that a block stores.
struct Choice {
  int mode = 6, partition = 0, rotation = 0, selection = 0;
  float error = 0;
  std::array<std::array<int, 4>, 6> endpoints{};  // two a pair
  std::array<int, 6> p_bits{};
  Indices indices{}, second_indices{};
};

// If the anchor of a pair has an index with the highest bit set: swaps the endpoints and counts from the other one.
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

// Endpoints of 7 bits that give each value of 8 bits at the second of four indices: the nearest ones to each other.
constexpr auto exact_endpoints = [] {
  std::array<std::array<int, 2>, 256> endpoints{};
  std::array<bool, 256> is_known{};
  for (int distance = 0; distance < 128; ++distance)
    for (int low = 0; low + distance < 128; ++low)
      for (const std::array<int, 2> pair : {std::array{low, low + distance}, std::array{low + distance, low}}) {
        const size_t value = size_t(interpolate(widen(pair[0], 7), widen(pair[1], 7), weights_of_2_bits[1]));
        if (!is_known[value]) endpoints[value] = pair;
        is_known[value] = true;
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

// A group of all texels with `channel_count` of the channels in `channels`.
Group group_of_all(const ByteTexels& texels, const std::array<size_t, 4>& channels, int channel_count) {
  Group group{.channel_count = channel_count, .texel_count = 16, .quad_count = 4};
  group.is_used.fill(Four{1, 1, 1, 1});
  for (size_t texel = 0; texel < 16; ++texel) {
    group.texels[texel] = uint8_t(texel);
    for (size_t c = 0; c < size_t(channel_count); ++c)
      group.values[c][texel / 4][texel % 4] = float(texels[texel][channels[c]]);
  }
  return group;
}

// The texels of `all` by the pair that they have in a partition.
std::array<Group, 3> groups_of(const Group& all, int pair_count, int partition) {
  std::array<Group, 3> groups;
  for (int texel = 0; texel < 16; ++texel) {
    Group& group = groups[size_t(pair_of(pair_count, partition, texel))];
    group.texels[size_t(group.texel_count++)] = uint8_t(texel);
  }
  for (Group& group : groups) {
    group.channel_count = all.channel_count;
    group.quad_count = (group.texel_count + 3) / 4;
    for (int at = 0; at < 4 * group.quad_count; ++at) {
      const bool is_used = at < group.texel_count;
      const int quad = at / 4, lane = at % 4, texel = group.texels[is_used ? size_t(at) : 0];
      group.is_used[quad][lane] = is_used ? 1 : 0;
      for (int c = 0; c < all.channel_count; ++c) group.values[c][quad][lane] = all.values[c][texel / 4][texel % 4];
    }
  }
  return groups;
}

struct Candidate {
  float estimate = 0;
  int mode = 6, partition = 0, rotation = 0, selection = 0;
};

// The candidates with the least estimates, in ascending order.
class Shortlist {
 public:
  void add(const Candidate& candidate) {
    if (count_ == candidates_.size() && candidate.estimate >= candidates_.back().estimate) return;
    if (count_ < candidates_.size()) ++count_;
    size_t at = count_ - 1;
    for (; at > 0 && candidates_[at - 1].estimate > candidate.estimate; --at) candidates_[at] = candidates_[at - 1];
    candidates_[at] = candidate;
  }
  auto begin() const { return candidates_.begin(); }
  auto end() const { return candidates_.begin() + std::ptrdiff_t(count_); }

 private:
  std::array<Candidate, 8> candidates_;
  size_t count_ = 0;
};

// Keeps the best choice for the texels of a block.
class Encoder {
 public:
  explicit Encoder(const ByteTexels& texels)
      : texels_(texels),
        is_opaque_(std::ranges::all_of(texels, [](const auto& texel) { return texel[3] == 255; })),
        all_(group_of_all(texels, {0, 1, 2, 3}, is_opaque_ ? 3 : 4)) {}

  Choice best() {
    try_candidate({}, Effort::quick);
    if (best_.error == 0) return best_;
    make_shortlist();
    for (const Candidate& candidate : shortlist_) try_candidate(candidate, Effort::quick);
    try_candidate({0, best_.mode, best_.partition, best_.rotation, best_.selection}, Effort::thorough);
    return best_;
  }

 private:
  void try_candidate(const Candidate& candidate, Effort effort) {
    Choice choice{.mode = candidate.mode,
                  .partition = candidate.partition,
                  .rotation = candidate.rotation,
                  .selection = candidate.selection};
    if (modes[size_t(candidate.mode)].second_index_bits == 0) fit_pairs(choice, effort);
    else fit_apart(choice, effort);
    if (best_.error < 0 || choice.error < best_.error) best_ = choice;
  }

  void fit_pairs(Choice& choice, Effort effort) const {
    const Mode& mode = modes[size_t(choice.mode)];
    const PairFormat format{.bits = mode.color_bits,
                            .index_bits = mode.index_bits,
                            .p_bits = mode.p_bits,
                            .p_bits_are_1 = is_opaque_ && mode.alpha_bits != 0};
    std::array<Group, 3> groups;
    if (mode.pair_count > 1) groups = groups_of(all_, mode.pair_count, choice.partition);
    for (int pair = 0; pair < mode.pair_count; ++pair) {
      const Group& group = mode.pair_count == 1 ? all_ : groups[size_t(pair)];
      const PairFit fit = fit_pair(group, format, effort);
      choice.error += fit.error;
      if (best_.error >= 0 && choice.error >= best_.error) return;
      for (size_t end = 0; end < 2; ++end) {
        const size_t at = 2 * size_t(pair) + end;
        choice.endpoints[at] = fit.endpoints[end];
        choice.p_bits[at] = fit.p_bits[end];
        if (is_opaque_) choice.endpoints[at][3] = (1 << mode.alpha_bits) - 1;
      }
      for (size_t at = 0; at < size_t(group.texel_count); ++at) choice.indices[group.texels[at]] = fit.indices[at];
    }
  }

  // For modes with second indices: fits the channel that is in the place of alpha apart from the others.
  // Alpha of an opaque block needs no fit where it is among those.
  void fit_apart(Choice& choice, Effort effort) const {
    const Mode& mode = modes[size_t(choice.mode)];
    std::array<size_t, 4> stored{0, 1, 2, 3};  // channels of the block
    if (choice.rotation > 0) std::swap(stored[size_t(choice.rotation - 1)], stored[3]);
    std::array<size_t, 4> places{0, 1, 2}, channels{stored[0], stored[1], stored[2]};
    int count = 3;
    if (is_opaque_ && choice.rotation > 0) {
      places[size_t(choice.rotation - 1)] = 2;
      channels[size_t(choice.rotation - 1)] = stored[2];
      count = 2;
    }
    PairFormat color{.bits = mode.color_bits, .index_bits = mode.index_bits, .p_bits = PBits::none};
    PairFormat single{.bits = mode.alpha_bits, .index_bits = mode.second_index_bits, .p_bits = PBits::none};
    if (choice.selection == 1) std::swap(color.index_bits, single.index_bits);
    const PairFit color_fit = fit_pair(group_of_all(texels_, channels, count), color, effort);
    const PairFit single_fit = fit_pair(group_of_all(texels_, {stored[3]}, 1), single, effort);
    for (size_t end = 0; end < 2; ++end) {
      choice.endpoints[end].fill((1 << mode.color_bits) - 1);
      for (size_t c = 0; c < size_t(count); ++c) choice.endpoints[end][places[c]] = color_fit.endpoints[end][c];
      choice.endpoints[end][3] = single_fit.endpoints[end][0];
    }
    choice.error = color_fit.error + single_fit.error;
    choice.indices = color_fit.indices;
    choice.second_indices = single_fit.indices;
    if (choice.selection == 1) std::swap(choice.indices, choice.second_indices);
  }

  void make_shortlist() {
    const Estimates estimates = estimate(all_);
    add_rotations(estimates.rotations);
    if (!is_opaque_) return add_partitions(estimates.two_pairs, 7);
    add_partitions(estimates.two_pairs, 1);
    add_partitions(estimates.two_pairs, 3);
    add_partitions(estimates.three_pairs, 0);
    add_partitions(estimates.three_pairs, 2);
  }

  // Expected squared error by indices, as a share of the squared distances along a line. Found by trying on pictures.
  static float share_of_indices(int bits) { return bits == 2 ? 1 / 36.0f : 1 / 100.0f; }

  // Expected error of 16 texels by endpoints of this many bits.
  static float endpoint_error(int bits, int channel_count) {
    const float step = 256 / float(1 << bits);
    return step * step * float(channel_count);
  }

  void add_partitions(const LineErrors& errors, int number) {
    const Mode& mode = modes[size_t(number)];
    const float share = share_of_indices(mode.index_bits);
    const float rounding = endpoint_error(mode.color_bits + (mode.p_bits != PBits::none), all_.channel_count);
    for (int partition = 0; partition < 1 << mode.partition_bits; ++partition)
      shortlist_.add(
          {errors.off[size_t(partition)] + share * errors.along[size_t(partition)] + rounding, number, partition});
  }

  void add_rotations(const RotationErrors& errors) {
    for (const int number : {4, 5}) {
      const Mode& mode = modes[size_t(number)];
      const float rounding =
          endpoint_error(mode.color_bits, all_.channel_count - 1) + endpoint_error(mode.alpha_bits, 1);
      for (int rotation = 0; rotation < 4; ++rotation)
        for (int selection = 0; selection < 1 << mode.selection_bits; ++selection) {
          float color = share_of_indices(mode.index_bits), single = share_of_indices(mode.second_index_bits);
          if (selection == 1) std::swap(color, single);
          const size_t at = size_t(rotation);
          shortlist_.add({(is_opaque_ ? 0.75f : 1.0f) *
                              (errors.off[at] + color * errors.along[at] + single * errors.single[at] + rounding),
                          number, 0, rotation, selection});
        }
    }
  }

  const ByteTexels& texels_;
  const bool is_opaque_;
  const Group all_;
  Shortlist shortlist_;
  Choice best_{.error = -1};
};

}  // namespace
}  // namespace bc7

void encode_bc7(const ByteTexels& texels, std::byte* block) {
  const bool is_one_color = std::ranges::all_of(texels, [&](const auto& texel) { return texel == texels[0]; });
  bc7::store(is_one_color ? bc7::choice_of_color(texels[0]) : bc7::Encoder(texels).best(), block);
}

}  // namespace gpupost
