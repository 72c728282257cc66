// The registry: every op's row, and how to find one by its name.
#pragma once

#include "core/op/op.h"

#include <span>
#include <string_view>

namespace gpupost {

// All rows, in the order of help and documents.
std::span<const Op* const> all_ops();
// The op of that name; nullptr if there is none.
const Op* op_named(std::string_view name);

}  // namespace gpupost
