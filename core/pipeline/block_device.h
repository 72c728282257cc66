// Compresses blocks for the threads that write outputs: on a device as soon as it is open, before that on the host.
#pragma once

#include "core/codec/blocks/block.h"
#include "core/codec/formats.h"
#include "core/gpu/gpu.h"
#include "core/pipeline/settings.h"

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>

namespace gpupost {

// Thread-safe.
class BlockDevice {
 public:
  // Opens the best of the devices that the settings select if it is a GPU, once there is enough to encode. `settings` must
  // outlive it.
  explicit BlockDevice(const DeviceSettings& settings) : settings_(settings) {}

  // Encodes a level. After an error of the device the host encodes what is left.
  void encode(BlockFormat format, Size size, Bytes texels, std::span<std::byte> blocks);
  // Waits if the device is opening. Returns whether it is open.
  bool is_open();

 private:
  enum class State { closed, opening, open, off };

  void open(BlockFormat format);
  bool encode_on_device(BlockFormat format, Size size, Bytes texels, std::span<std::byte> blocks);

  const DeviceSettings& settings_;
  std::atomic<uint64_t> seen_texels_ = 0;
  std::atomic<State> state_ = State::closed;
  std::mutex mutex_;  // of the device
  std::unique_ptr<Gpu> gpu_;
  std::future<void> opening_;
};

}  // namespace gpupost
