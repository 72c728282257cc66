// Checks the size of a file against the limits.
#pragma once

#include "core/codec/common/format.h"

#include <cstdint>

namespace gpupost {

// Throws Error(Exit::input) unless both sides are in 1..limits.side and their product is at most limits.texel_count.
void check_claimed_size(int64_t width, int64_t height, const Limits& limits);
void check_channel_count(int count, const Limits& limits);
// Throws Error(Exit::input) if the decoded image exceeds limits.decoded_bytes.
void check_decoded_bytes(uint64_t bytes, const Limits& limits);

}  // namespace gpupost
