// The parent's check of what a decode worker says: a hostile file may have taken the worker over. decode() uses it.
#pragma once

#include "core/codec/worker/protocol.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpupost {

// In bytes: of a layer, a part, a channel, an attribute.
inline constexpr size_t max_name_bytes = 255;

// Returns whether a sound worker can give this reply under these limits. If not, nothing of it may be used.
bool is_sensible(const Reply& reply, const Limits& limits);

// Where a group's texels lie in the shared memory, in bytes.
struct TexelRange {
  uint64_t offset = 0;
  size_t bytes = 0;
};

// The ranges of a sensible reply's groups. None where one begins within a page, overlaps the range before it, or does not lie
// within `memory_bytes`.
std::optional<std::vector<TexelRange>> texel_ranges(const Reply& reply, uint64_t memory_bytes, uint64_t page_bytes);

}  // namespace gpupost
