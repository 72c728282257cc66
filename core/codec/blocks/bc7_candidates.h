// Chooses the modes, partitions and rotations of BC7 that the encoder tries on a block.
#pragma once

#include "core/codec/blocks/bc7_fit.h"

#include <array>
#include <cstddef>

namespace gpupost::bc7 {

struct Candidate {
  float estimate = 0;  // of the squared error
  int mode = 6, partition = 0, rotation = 0, selection = 0;
};

inline constexpr size_t candidate_count = 5;

// Those with the least estimates, in ascending order.
class Candidates {
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
  std::array<Candidate, candidate_count> candidates_;
  size_t count_ = 0;
};

// `all` has the 16 texels of a block in their order, with alpha as the fourth channel unless they are opaque.
// Mode 6 is not among the candidates, as there is only one of it.
Candidates candidates_for(const Group& all);

// Blocks whose alphas are 0 and 255 try these too. They keep such alphas exactly: endpoints of 7 bits have these values.
inline constexpr std::array candidates_for_cutouts{
    Candidate{.mode = 4, .selection = 1}, Candidate{.mode = 5}, Candidate{.mode = 5, .rotation = 1},
    Candidate{.mode = 5, .rotation = 2}, Candidate{.mode = 5, .rotation = 3}};

// The cost of a choice is its error. Other alphas in a cutout cost half of the error more, and 2 a texel.
struct CostOfOtherAlpha {
  float factor, offset;
};
inline constexpr CostOfOtherAlpha cost_of_other_alpha{1.5f, 32};

// Expected squared error by indices, as a share of the squared distances along a line.
float share_of_indices(int bits);
// Expected squared error by endpoints of a mode.
float endpoint_error_of(const Mode& mode, int channel_count);

}  // namespace gpupost::bc7
