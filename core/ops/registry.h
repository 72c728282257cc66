// The registry: every op's row, and how to find one by its name.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

// All rows, by name.
std::span<const Op* const> all_ops();
// The groups that have ops, in the order of help and documents.
struct TitledGroup {
  std::string_view title;
  std::vector<const Op*> ops;
};
std::vector<TitledGroup> grouped_ops();
// The op of that name; nullptr if there is none.
const Op* op_named(std::string_view name);

}  // namespace gpupost
