// Device memory, and blocks of it that wait for the next run.
#pragma once

#include "core/gpu/vulkan.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace gpupost {

struct MemoryBlock {
  Owned<VkDeviceMemory> memory;
  size_t bytes = 0;
  uint32_t type = 0;            // index of the memory type
  std::byte* mapped = nullptr;  // of memory that the host has mapped
  int runs_unused = 0;          // runs that the block has waited for its next user
};

// Keeps the memory of destroyed buffers and images, so that a run of the same sizes allocates none: new pages cost more
// than many a pass. Any thread may call it.
class MemoryPool {
 public:
  // Keeps blocks from now on, or frees them all and keeps none, which is the start.
  void keep(bool is_on);
  // A block of exactly this size and type, if one waits.
  std::optional<MemoryBlock> take(size_t bytes, uint32_t type);
  void put(MemoryBlock block);
  // Call it before each run. Frees the blocks that the run before did not use.
  void start_run();
  void clear();
  size_t block_count() const;
  size_t bytes() const;

 private:
  mutable std::mutex mutex_;
  bool is_on_ = false;
  std::vector<MemoryBlock> blocks_;
};

// The memory of one buffer or image. Goes back to the pool, if it came with one.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(MemoryBlock block, MemoryPool* pool) : block_(std::move(block)), pool_(pool) {}
  DeviceMemory(DeviceMemory&&) noexcept = default;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory() { give_back(); }

  operator VkDeviceMemory() const { return block_.memory; }
  explicit operator bool() const { return block_.memory; }
  // The memory as the host sees it. Maps it at the first call.
  std::byte* map(VkDevice device);

 private:
  void give_back() noexcept;

  MemoryBlock block_;
  MemoryPool* pool_ = nullptr;
};

}  // namespace gpupost
