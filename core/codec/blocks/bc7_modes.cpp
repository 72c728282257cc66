#include "core/codec/blocks/bc7_modes.h"

#include "core/codec/blocks/partitions.h"

namespace gpupost::bc7 {

int pair_of(int pair_count, int partition, int texel) {
  if (pair_count == 1) return 0;
  if (pair_count == 2) return pairs_of_two[size_t(partition)] >> texel & 1;
  return int(pairs_of_three[size_t(partition)] >> (2 * texel) & 3);
}

int anchor_of(int pair_count, int partition, int pair) {
  if (pair == 0) return 0;
  if (pair_count == 2) return anchors_of_two[size_t(partition)];
  return (pair == 1 ? second_anchors_of_three : third_anchors_of_three)[size_t(partition)];
}

}  // namespace gpupost::bc7
