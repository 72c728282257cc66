#include "core/codec/blocks/kernel_table.h"

#include "core/codec/blocks/reciprocal.h"

namespace gpupost {

KernelTable::KernelTable() {
  add_all("RECIPROCAL_OF_COUNT_AT", reciprocals_of_counts);
  constant("RECIPROCAL_GUESS", int(reciprocal_guess));
  constant("RECIPROCAL_STEPS", reciprocal_steps);
}

}  // namespace gpupost
