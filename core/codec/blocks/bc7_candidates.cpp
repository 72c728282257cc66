#include "core/codec/blocks/bc7_candidates.h"

#include "core/codec/blocks/bc7_estimate.h"

#include <initializer_list>
#include <utility>

namespace gpupost::bc7 {

// Found by trying on pictures, as the error by endpoints.
float share_of_indices(int bits) { return bits == 2 ? 1 / 36.0f : 1 / 100.0f; }

// For 16 texels.
static float endpoint_error(int bits, int channel_count) {
  const float step = 256 / float(1 << bits);
  return step * step * float(channel_count);
}

float endpoint_error_of(const Mode& mode, int channel_count) {
  if (mode.second_index_bits > 0)
    return endpoint_error(mode.color_bits, channel_count - 1) + endpoint_error(mode.alpha_bits, 1);
  return endpoint_error(mode.color_bits + (mode.p_bits != PBits::none), channel_count);
}

namespace {

void add_partitions(const LineErrors& errors, int channel_count, std::initializer_list<int> numbers,
                    Candidates& candidates) {
  for (size_t at = 0; at < errors.off.size(); ++at)
    for (const int number : numbers) {
      const Mode& mode = modes[size_t(number)];
      if (at >= size_t(1) << mode.partition_bits) continue;
      const float estimate = errors.off[at] + share_of_indices(mode.index_bits) * errors.along[at] +
                             endpoint_error_of(mode, channel_count);
      candidates.add({estimate, number, int(at)});
    }
}

void add_rotations(const RotationErrors& errors, int channel_count, int number, Candidates& candidates) {
  const Mode& mode = modes[size_t(number)];
  const float rounding = endpoint_error_of(mode, channel_count);
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
    add_partitions(estimates.two_pairs, channel_count, {7}, candidates);
    return candidates;
  }
  add_partitions(estimates.two_pairs, channel_count, {1, 3}, candidates);
  add_partitions(estimates.three_pairs, channel_count, {0, 2}, candidates);
  return candidates;
}

}  // namespace gpupost::bc7
