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
  // Opens the best of the devices that the settings select if it is a GPU, at the level with which `least_texels` are reached.
  // `settings` must outlive it.
  explicit BlockDevice(const DeviceSettings& settings, uint64_t least_texels = worth_opening)
      : settings_(settings), least_texels_(least_texels) {}

  // Encodes a level. After an error of the device the host encodes what is left.
  void encode(BlockFormat format, Size size, Bytes texels, std::span<std::byte> blocks);
  // Waits if the device is opening. Returns whether it is open.
  bool is_open();

 private:
  // For fewer texels, opening a device takes as long as it saves.
  static constexpr uint64_t worth_opening = uint64_t(1) << 23;

  enum class State { closed, opening, open, off };

  void open(BlockFormat format);
  bool encode_on_device(BlockFormat format, Size size, Bytes texels, std::span<std::byte> blocks);

  const DeviceSettings& settings_;
  const uint64_t least_texels_;
  std::atomic<uint64_t> seen_texels_ = 0;
  std::atomic<State> state_ = State::closed;
  std::mutex mutex_;  // of the device
  std::unique_ptr<Gpu> gpu_;
  std::future<void> opening_;
};

}  // namespace gpupost
