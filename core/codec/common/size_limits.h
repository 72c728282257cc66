// What a file claims to be, held against what a file may be.
#pragma once

#include "core/codec/common/format.h"

#include <cstdint>

namespace gpupost {

// Throws Error(Exit::input) unless the sides lie in 1..limits.side and their product in limits.texel_count.
void check_claimed_size(int64_t width, int64_t height, const Limits& limits);
// The same for the bytes that the picture takes once decoded.
void check_decoded_bytes(uint64_t bytes, const Limits& limits);

}  // namespace gpupost
