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
  std::array<Candidate, 5> candidates_;
  size_t count_ = 0;
};

// `all` has the 16 texels of a block in their order, with alpha as the fourth channel unless they are opaque.
// Mode 6 is not among the candidates, as there is only one of it.
Candidates candidates_for(const Group& all);

}  // namespace gpupost::bc7
