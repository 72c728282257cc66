#include "core/codec/blocks/bc7_candidates.h"
#include "core/codec/blocks/bc7_exact.h"
#include "core/codec/blocks/kernel_table.h"

namespace gpupost {
namespace bc7 {
namespace {

void add_modes(KernelTable& table) {
  table.begin("MODES_AT");
  for (const Mode& mode : modes) {
    for (const int number :
         {mode.pair_count, mode.partition_bits, mode.rotation_bits, mode.selection_bits, mode.color_bits,
          mode.alpha_bits, int(mode.p_bits), mode.index_bits, mode.second_index_bits})
      table.add(float(number));
    for (const float number : {share_of_indices(mode.index_bits), share_of_indices(mode.second_index_bits),
                               endpoint_error_of(mode, 3), endpoint_error_of(mode, 4)})
      table.add(number);
  }
  table.constant("MODE_NUMBERS", 13);
}

// Bit i: whether texel i is in that of three pairs.
std::array<int, 64> texels_of_three(int pair) {
  std::array<int, 64> texels{};
  for (int partition = 0; partition < 64; ++partition)
    for (int texel = 0; texel < 16; ++texel)
      texels[size_t(partition)] |= int(pair_of(3, partition, texel) == pair) << texel;
  return texels;
}

}  // namespace
}  // namespace bc7

KernelTable bc7_table() {
  using namespace bc7;
  KernelTable table;
  add_modes(table);
  table.add_all("SECOND_OF_TWO_AT", pairs_of_two);
  table.add_all("SECOND_OF_THREE_AT", texels_of_three(1));
  table.add_all("THIRD_OF_THREE_AT", texels_of_three(2));
  table.add_all("ANCHOR_OF_TWO_AT", anchors_of_two);
  table.add_all("SECOND_ANCHOR_AT", second_anchors_of_three);
  table.add_all("THIRD_ANCHOR_AT", third_anchors_of_three);
  table.begin("EXACT_AT");
  for (const auto& pair : exact_endpoints)
    for (const int end : pair) table.add(float(end));
  table.begin("CUTOUTS_AT");
  for (const Candidate& candidate : candidates_for_cutouts)
    table.add(float(candidate.mode | candidate.partition << 3 | candidate.rotation << 9 | candidate.selection << 11));
  table.constant("CANDIDATE_COUNT", int(candidate_count));
  table.constant("CUTOUT_COUNT", int(candidates_for_cutouts.size()));
  table.begin("SCALES_AT");
  for (int bits = 0; bits <= 8; ++bits)
    for (const int p_bit : {0, 1})
      for (const float number : {scale_of(bits, p_bit), half_step_of(bits, p_bit)}) table.add(number);
  table.add_all("COST_AT", std::array{cost_of_other_alpha.factor, cost_of_other_alpha.offset});
  return table;
}

}  // namespace gpupost
