#include "core/codec/common/size_limits.h"

#include "core/base/error.h"

namespace gpupost {

void check_claimed_size(int64_t width, int64_t height, const Limits& limits) {
  if (width < 1 || height < 1) fail(Exit::input, "claims {} x {} texels; at least 1 x 1", width, height);
  if (width > limits.side || height > limits.side)
    fail(Exit::input, "claims {} x {} texels; at most {} a side (--max-side)", width, height, limits.side);
  if (uint64_t(width) * uint64_t(height) > limits.texel_count)
    fail(Exit::input, "claims {} x {} texels; at most {} in all (--max-texels)", width, height, limits.texel_count);
}

void check_decoded_bytes(uint64_t bytes, const Limits& limits) {
  if (bytes > limits.decoded_bytes)
    fail(Exit::input, "takes {} bytes once decoded; at most {} (--max-decoded)", bytes, limits.decoded_bytes);
}

}  // namespace gpupost
