#include "core/pipeline/block_device.h"

#include "core/base/threads.h"
#include "core/codec/blocks/level.h"
#include "core/engine/block_encoder.h"
#include "core/pipeline/device.h"
#include "core/pipeline/device_session.h"

#include <algorithm>
#include <array>
#include <system_error>

namespace gpupost {

// A run on a device takes longer for fewer texels than the host does.
constexpr size_t least_level_texels = size_t(1) << 14;

void BlockDevice::open(BlockFormat format) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::closed) return;
  state_ = State::opening;
  try {
    opening_ = std::async(std::launch::async, [this, format] {
      try {
        check_threads();
        const DeviceInfo device = devices_for(settings_).front();
        if (device.traits.type == DeviceType::cpu) {
          state_ = State::off;
          return;
        }
        gpu_ = std::make_unique<Gpu>(device);
        gpu_->keep_memory(true);
        gpu_->prepare(std::array{plan_of_blocks(format, {block_side, block_side}, device.traits)});
        state_ = State::open;
      } catch (const Error&) {
        state_ = State::off;
      }
    });
  } catch (const std::system_error&) {  // the system has no thread left
    state_ = State::off;
  }
}

bool BlockDevice::is_open() {
  if (opening_.valid()) opening_.wait();
  return state_ == State::open;
}

static bool fits(Size size, Bytes texels, const DeviceTraits& traits) {
  return std::max(size.width, size.height) <= traits.max_image_side && texels.size() <= traits.memory.allocation_bytes;
}

// Returns false if the host must encode the texels.
bool BlockDevice::encode_on_device(BlockFormat format, Size size, Bytes texels, std::span<std::byte> blocks) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::open || !fits(size, texels, gpu_->info().traits)) return false;
  try {
    const Level level{size, TexelBuffer(const_cast<std::byte*>(texels.data()), texels.size(), {})};
    encode_blocks_on(*gpu_, format, level, blocks);
    return true;
  } catch (const Error&) {
    if (driver_is_stuck()) throw;
    state_ = State::off;
    return false;
  }
}

void BlockDevice::encode(BlockFormat format, Size size, Bytes texels, std::span<std::byte> blocks) {
  const bool may_use_device = has_block_kernel(format) && texel_count(size) >= least_level_texels;
  if (may_use_device && (seen_texels_ += texel_count(size)) >= least_texels_) open(format);
  const size_t row_bytes = texels.size() / size_t(size.height);
  while (size.height > 0) {
    if (may_use_device && encode_on_device(format, size, texels, blocks)) return;
    // while the device opens, some rows for each core
    const bool is_opening = may_use_device && state_ == State::opening;
    const Size band{size.width, is_opening ? std::min(size.height, 2 * block_side * core_count()) : size.height};
    encode_blocks(format, band, texels.first(row_bytes * size_t(band.height)), blocks);
    size.height -= band.height;
    texels = texels.subspan(row_bytes * size_t(band.height));
    blocks = blocks.subspan(block_bytes_of(format, band));
  }
}

}  // namespace gpupost
