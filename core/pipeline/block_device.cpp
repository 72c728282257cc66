#include "core/pipeline/block_device.h"

#include "core/engine/block_encoder.h"
#include "core/pipeline/device.h"

#include <algorithm>

namespace gpupost {

// An open device and its compiled kernel save as much time as opening and compiling take, for so many texels.
constexpr uint64_t least_texels = uint64_t(1) << 22;
// A run on the device takes longer for fewer texels than the host does.
constexpr size_t least_level_texels = size_t(1) << 14;

bool BlockDevice::is_worth_it(Size size) {
  const uint64_t seen = seen_texels_ += texel_count(size);
  return seen >= least_texels && texel_count(size) >= least_level_texels;
}

// Opens the device at the first call. Leaves a CPU device alone.
void BlockDevice::open() {
  if (gpu_) return;
  const DeviceInfo device = devices_for(settings_).front();
  is_off_ = device.traits.type == DeviceType::cpu;
  if (is_off_) return;
  gpu_ = std::make_unique<Gpu>(device);
  gpu_->keep_memory(true);
  is_open_ = true;
}

static bool fits(Size size, Bytes texels, const DeviceTraits& traits) {
  return std::max(size.width, size.height) <= traits.max_image_side && texels.size() <= traits.memory.allocation_bytes;
}

bool BlockDevice::encode(Compression compression, Size size, Bytes texels, std::span<std::byte> blocks) {
  const BlockFormat format = compression == Compression::bc7    ? BlockFormat::bc7
                             : compression == Compression::bc6h ? BlockFormat::bc6h
                                                                : BlockFormat::none;
  if (!has_block_kernel(format) || is_off_ || !is_worth_it(size)) return false;
  std::unique_lock lock(mutex_, std::defer_lock);
  if (is_open_) lock.lock();
  else if (!lock.try_lock()) return false;
  if (is_off_) return false;
  try {
    open();
    if (is_off_ || !fits(size, texels, gpu_->info().traits)) return false;
    const Level level{size, TexelBuffer(const_cast<std::byte*>(texels.data()), texels.size(), {})};
    encode_blocks_on(*gpu_, format, level, blocks);
    return true;
  } catch (const Error&) {
    if (driver_is_stuck()) throw;
    is_off_ = true;
    return false;
  }
}

}  // namespace gpupost
