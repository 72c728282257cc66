#include "core/codec/common/size_limits.h"

#include "core/base/error.h"

namespace gpupost {

void check_claimed_size(int64_t width, int64_t height, const Limits& limits) {
  if (width < 1 || height < 1) fail(Exit::input, "has {} x {} texels; expected at least 1 x 1", width, height);
  if (width > limits.side || height > limits.side)
    fail(Exit::input, "has {} x {} texels; the limit is {} per side (raise it with --max-side)", width, height,
         limits.side);
  if (uint64_t(width) * uint64_t(height) > limits.texel_count)
    fail(Exit::input, "has {} x {} texels; the limit is {} in total (raise it with --max-texels)", width, height,
         limits.texel_count);
}

void check_channel_count(int count, const Limits& limits) {
  if (count > limits.channel_count)
    fail(Exit::input, "has {} channels; the limit is {} (raise it with --max-channels)", count, limits.channel_count);
}

void check_decoded_bytes(uint64_t bytes, const Limits& limits) {
  if (bytes > limits.decoded_bytes)
    fail(Exit::input, "needs {} bytes when decoded; the limit is {} (raise it with --max-decoded)", bytes,
         limits.decoded_bytes);
}

}  // namespace gpupost
