// A device that compresses blocks for the threads that write outputs.
#pragma once

#include "core/codec/formats.h"
#include "core/gpu/gpu.h"
#include "core/pipeline/settings.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace gpupost {

// Opens the device once it is worth its start-up. Thread-safe.
class BlockDevice {
 public:
  // The best of the devices that the settings select, if it is a GPU. `settings` must outlive it.
  explicit BlockDevice(const DeviceSettings& settings) : settings_(settings) {}

  // A BlockEncoder. Returns false if the host should encode the level: without a GPU, for small levels and few images, while
  // another thread opens the device, and after the device has failed.
  bool encode(Compression compression, Size size, Bytes texels, std::span<std::byte> blocks);

 private:
  bool is_worth_it(Size size);
  void open();

  const DeviceSettings& settings_;
  std::mutex mutex_;  // of the device
  std::unique_ptr<Gpu> gpu_;
  std::atomic<bool> is_open_ = false, is_off_ = false;
  std::atomic<uint64_t> seen_texels_ = 0;
};

}  // namespace gpupost
