#include "core/codec/blocks/bc7_candidates.h"

#include "core/codec/blocks/bc7_estimate.h"

#include <utility>

namespace gpupost::bc7 {
namespace {

// Expected squared error by indices, as a share of the squared distances along a line. Found by trying on pictures.
float share_of_indices(int bits) { return bits == 2 ? 1 / 36.0f : 1 / 100.0f; }

// Expected squared error of 16 texels by endpoints of this many bits. Found by trying on pictures too.
float endpoint_error(int bits, int channel_count) {
  const float step = 256 / float(1 << bits);
  return step * step * float(channel_count);
}

void add_partitions(const LineErrors& errors, int channel_count, int number, Candidates& candidates) {
  const Mode& mode = modes[size_t(number)];
  const float share = share_of_indices(mode.index_bits);
  const float rounding = endpoint_error(mode.color_bits + (mode.p_bits != PBits::none), channel_count);
  for (int partition = 0; partition < 1 << mode.partition_bits; ++partition) {
    const size_t at = size_t(partition);
    candidates.add({errors.off[at] + share * errors.along[at] + rounding, number, partition});
  }
}

void add_rotations(const RotationErrors& errors, int channel_count, int number, Candidates& candidates) {
  const Mode& mode = modes[size_t(number)];
  const float rounding = endpoint_error(mode.color_bits, channel_count - 1) + endpoint_error(mode.alpha_bits, 1);
  for (int selection = 0; selection < 1 << mode.selection_bits; ++selection) {
    float color = share_of_indices(mode.index_bits), single = share_of_indices(mode.second_index_bits);
    if (selection == 1) std::swap(color, single);
    for (int rotation = 0; rotation < 4; ++rotation) {
      const size_t at = size_t(rotation);
      const float along = color * errors.along[at] + single * errors.single[at];
      candidates.add({errors.off[at] + along + rounding, number, 0, rotation, selection});
    }
  }
}

}  // namespace

Candidates candidates_for(const Group& all) {
  const Estimates estimates = estimate(all);
  const int channel_count = all.channel_count;
  Candidates candidates;
  for (const int mode : {4, 5}) add_rotations(estimates.rotations, channel_count, mode, candidates);
  if (channel_count == 4) {
    add_partitions(estimates.two_pairs, channel_count, 7, candidates);
    return candidates;
  }
  for (const int mode : {1, 3}) add_partitions(estimates.two_pairs, channel_count, mode, candidates);
  for (const int mode : {0, 2}) add_partitions(estimates.three_pairs, channel_count, mode, candidates);
  return candidates;
}

}  // namespace gpupost::bc7
