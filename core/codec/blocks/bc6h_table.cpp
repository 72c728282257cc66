#include "core/codec/blocks/bc6h_limits.h"
#include "core/codec/blocks/bc6h_modes.h"
#include "core/codec/blocks/bc6h_residuals.h"
#include "core/codec/blocks/kernel_table.h"
#include "core/codec/blocks/partitions.h"

namespace gpupost {

// Each mode: nine numbers, then the places of its bits as 16 field + bit.
static void add_bc6h_modes(KernelTable& table) {
  table.begin("MODES_AT");
  for (const bc6h::Mode& mode : bc6h::modes) {
    for (const int number :
         {int(mode.number), mode.number_bits, mode.pair_count, mode.endpoint_bits, mode.delta_bits[0],
          mode.delta_bits[1], mode.delta_bits[2], int(mode.has_deltas), mode.place_count})
      table.add(float(number));
    for (const auto& [field, bit] : mode.places) table.add(float(16 * field + bit));
  }
  table.constant("MODE_NUMBERS", 9 + int(bc6h::modes.front().places.size()));
}

KernelTable bc6h_table() {
  KernelTable table;
  add_bc6h_modes(table);
  table.add_all("SECOND_OF_TWO_AT", pairs_of_two);
  table.add_all("ANCHOR_OF_TWO_AT", anchors_of_two);
  table.add_all("MODES_OF_ONE_PAIR_AT", bc6h::modes_of_one_pair);
  table.constant("MODES_OF_ONE_PAIR", int(bc6h::modes_of_one_pair.size()));
  table.add_all("MODES_OF_TWO_PAIRS_AT", bc6h::modes_of_two_pairs);
  table.constant("MODES_OF_TWO_PAIRS", int(bc6h::modes_of_two_pairs.size()));
  table.add_all("PART_ON_STEPS_AT", std::array{bc6h::part_on_steps});
  table.add_all("LARGEST_ERROR_RATIO_AT", std::array{bc6h::largest_error_ratio});
  table.constant("PARTITION_COUNT", int(bc6h::partition_count));
  table.constant("TRIED_PARTITIONS", bc6h::tried_partitions);
  table.constant("ROUNDS", bc6h::rounds);
  return table;
}

}  // namespace gpupost
