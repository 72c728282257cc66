// Checks replies of a decode worker, because a hostile file may have taken control of it. decode() uses it.
#pragma once

#include "core/codec/worker/protocol.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpupost {

// Limit for names of layers, parts, channels and attributes, in bytes.
inline constexpr size_t max_name_bytes = 255;

// Returns whether a correct worker could send this reply under these limits. If not, the reply must not be used.
bool is_sensible(const Reply& reply, const Limits& limits);

// Range of a group's texels in the shared memory, in bytes.
struct TexelRange {
  uint64_t offset = 0;
  size_t bytes = 0;
};

// Ranges of all groups, and of the other parts. Empty if one does not begin at a page, overlaps the range before it, or
// is outside of `memory_bytes`.
std::optional<std::vector<TexelRange>> texel_ranges(const Reply& reply, uint64_t memory_bytes, uint64_t page_bytes);

}  // namespace gpupost
