#include "core/codec/blocks/bc7_table.h"

#include "core/codec/blocks/bc7_candidates.h"
#include "core/codec/blocks/bc7_exact.h"
#include "core/codec/blocks/reciprocal.h"

namespace gpupost::bc7 {
namespace {

// Appends tables and notes where they begin.
class Writer {
 public:
  void begin(std::string_view name) { table_.constants.emplace_back(name, int(table_.numbers.size())); }
  void add(float number) { table_.numbers.push_back(number); }
  void add_all(std::string_view name, const auto& numbers) {
    begin(name);
    for (const auto number : numbers) add(float(number));
  }
  void constant(std::string_view name, int value) { table_.constants.emplace_back(name, value); }
  KernelTable take() { return std::move(table_); }

 private:
  KernelTable table_;
};

void add_modes(Writer& writer) {
  writer.begin("MODES_AT");
  for (const Mode& mode : modes) {
    for (const int number :
         {mode.pair_count, mode.partition_bits, mode.rotation_bits, mode.selection_bits, mode.color_bits,
          mode.alpha_bits, int(mode.p_bits), mode.index_bits, mode.second_index_bits})
      writer.add(float(number));
    for (const float number : {share_of_indices(mode.index_bits), share_of_indices(mode.second_index_bits),
                               endpoint_error_of(mode, 3), endpoint_error_of(mode, 4)})
      writer.add(number);
  }
  writer.constant("MODE_NUMBERS", 13);
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

KernelTable kernel_table() {
  Writer writer;
  add_modes(writer);
  writer.add_all("SECOND_OF_TWO_AT", pairs_of_two);
  writer.add_all("SECOND_OF_THREE_AT", texels_of_three(1));
  writer.add_all("THIRD_OF_THREE_AT", texels_of_three(2));
  writer.add_all("ANCHOR_OF_TWO_AT", anchors_of_two);
  writer.add_all("SECOND_ANCHOR_AT", second_anchors_of_three);
  writer.add_all("THIRD_ANCHOR_AT", third_anchors_of_three);
  writer.begin("EXACT_AT");
  for (const auto& pair : exact_endpoints)
    for (const int end : pair) writer.add(float(end));
  writer.begin("CUTOUTS_AT");
  for (const Candidate& candidate : candidates_for_cutouts)
    writer.add(float(candidate.mode | candidate.partition << 3 | candidate.rotation << 9 | candidate.selection << 11));
  writer.constant("CANDIDATE_COUNT", int(candidate_count));
  writer.constant("CUTOUT_COUNT", int(candidates_for_cutouts.size()));
  writer.add_all("RECIPROCAL_OF_COUNT_AT", reciprocals_of_counts);
  writer.begin("SCALES_AT");
  for (int bits = 0; bits <= 8; ++bits)
    for (const int p_bit : {0, 1})
      for (const float number : {scale_of(bits, p_bit), half_step_of(bits, p_bit)}) writer.add(number);
  writer.constant("RECIPROCAL_GUESS", int(reciprocal_guess));
  writer.constant("RECIPROCAL_STEPS", reciprocal_steps);
  writer.add_all("COST_AT", std::array{cost_of_other_alpha.factor, cost_of_other_alpha.offset});
  return writer.take();
}

}  // namespace gpupost::bc7
