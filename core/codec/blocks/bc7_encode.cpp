// Encodes a block of BC7: fits endpoints in the modes that may suit its texels and keeps the one with the least error.
#include "core/codec/blocks/bc7.h"
#include "core/codec/blocks/bc7_candidates.h"
#include "core/codec/blocks/bc7_exact.h"
#include "core/codec/blocks/bc7_fit.h"
#include "core/codec/blocks/bc7_store.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

namespace gpupost {
namespace bc7 {
namespace {

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

bool has_all_alphas(const ByteTexels& texels, std::initializer_list<int> alphas) {
  return std::ranges::all_of(texels, [&](const auto& texel) { return std::ranges::count(alphas, texel[3]) > 0; });
}

// Whether all numbers are 0 or 255, which endpoints of 7 bits without p bits hold.
bool has_all_extremes(const ByteTexels& texels) {
  return std::ranges::all_of(texels, [](const auto& texel) {
    return std::ranges::all_of(texel, [](uint8_t value) { return value == 0 || value == 255; });
  });
}

// Keeps the best choice for the texels of a block.
class Encoder {
 public:
  explicit Encoder(const ByteTexels& texels)
      : texels_(texels),
        is_opaque_(has_all_alphas(texels, {255})),
        is_cutout_(!is_opaque_ && has_all_alphas(texels, {0, 255})),
        all_(group_of_all(texels, {0, 1, 2, 3}, is_opaque_ ? 3 : 4)) {}

  Choice best() {
    try_candidate({}, Effort::quick);
    if (best_.error == 0) return best_;
    for (const Candidate& candidate : candidates_for(all_)) try_candidate(candidate, Effort::quick);
    if (best_.error > 0 && has_all_extremes(texels_)) try_candidate({.mode = 5}, Effort::quick);
    if (is_cutout_)
      for (const Candidate& candidate : candidates_for_cutouts) try_candidate(candidate, Effort::quick);
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
    if (choice.error >= best_cost_) return;
    float cost = choice.error;
    if (is_cutout_ && !keeps_alpha(choice)) cost = cost_of_other_alpha.factor * cost + cost_of_other_alpha.offset;
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_ = choice;
  }

  bool keeps_alpha(const Choice& choice) const {
    std::array<std::byte, 16> block;
    store(choice, block.data());
    const ByteTexels decoded = decode_bc7(block.data());
    return std::ranges::equal(decoded, texels_, [](const auto& a, const auto& b) { return a[3] == b[3]; });
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
      if (choice.error >= best_cost_) return;
      for (size_t end = 0; end < 2; ++end) {
        const size_t at = 2 * size_t(pair) + end;
        choice.endpoints[at] = fit.endpoints[end];
        choice.p_bits[at] = fit.p_bits[end];
        if (is_opaque_) choice.endpoints[at][3] = (1 << mode.alpha_bits) - 1;
      }
      for (size_t at = 0; at < size_t(group.texel_count); ++at) choice.indices[group.texels[at]] = fit.indices[at];
    }
  }

  struct ColorChannels {
    int count = 0;
    std::array<size_t, 4> channels{}, places{};  // `places`: the channel of an endpoint that stores it
  };

  // The channels that a rotation stores as color. Alpha of an opaque block is left out, since it is known.
  ColorChannels color_channels(int rotation) const {
    ColorChannels color;
    for (size_t place = 0; place < 3; ++place) {
      const size_t channel = int(place) == rotation - 1 ? 3 : place;
      if (channel == 3 && is_opaque_) continue;
      color.channels[size_t(color.count)] = channel;
      color.places[size_t(color.count++)] = place;
    }
    return color;
  }

  // For modes with second indices, which one of the channels has for itself.
  void fit_apart(Choice& choice, Effort effort) const {
    const Mode& mode = modes[size_t(choice.mode)];
    PairFormat color_format{.bits = mode.color_bits, .index_bits = mode.index_bits, .p_bits = PBits::none};
    PairFormat single_format{.bits = mode.alpha_bits, .index_bits = mode.second_index_bits, .p_bits = PBits::none};
    if (choice.selection == 1) std::swap(color_format.index_bits, single_format.index_bits);
    const ColorChannels color = color_channels(choice.rotation);
    const PairFit fit = fit_pair(group_of_all(texels_, color.channels, color.count), color_format, effort);
    const size_t single = choice.rotation == 0 ? 3 : size_t(choice.rotation - 1);
    const PairFit single_fit = fit_pair(group_of_all(texels_, {single}, 1), single_format, effort);
    for (size_t end = 0; end < 2; ++end) {
      auto& endpoint = choice.endpoints[end];
      endpoint.fill((1 << mode.color_bits) - 1);
      for (size_t c = 0; c < size_t(color.count); ++c) endpoint[color.places[c]] = fit.endpoints[end][c];
      endpoint[3] = single_fit.endpoints[end][0];
    }
    choice.error = fit.error + single_fit.error;
    choice.indices = fit.indices;
    choice.second_indices = single_fit.indices;
    if (choice.selection == 1) std::swap(choice.indices, choice.second_indices);
  }

  const ByteTexels& texels_;
  const bool is_opaque_, is_cutout_;  // all alphas are 255; are 0 or 255
  const Group all_;
  Choice best_;
  float best_cost_ = std::numeric_limits<float>::infinity();
};

}  // namespace
}  // namespace bc7

void encode_bc7(const ByteTexels& texels, std::byte* block) {
  const bool is_one_color = std::ranges::all_of(texels, [&](const auto& texel) { return texel == texels[0]; });
  bc7::store(is_one_color ? bc7::choice_of_color(texels[0]) : bc7::Encoder(texels).best(), block);
}

}  // namespace gpupost
