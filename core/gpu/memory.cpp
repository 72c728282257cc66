#include "core/gpu/memory.h"

#include <algorithm>

namespace gpupost {

void MemoryPool::keep(bool is_on) {
  const std::lock_guard lock(mutex_);
  is_on_ = is_on;
  if (!is_on) blocks_.clear();
}

std::optional<MemoryBlock> MemoryPool::take(size_t bytes, uint32_t type) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      blocks_, [&](const MemoryBlock& block) { return block.bytes == bytes && block.type == type; });
  if (found == blocks_.end()) return std::nullopt;
  MemoryBlock block = std::move(*found);
  blocks_.erase(found);
  return block;
}

void MemoryPool::put(MemoryBlock block) {
  const std::lock_guard lock(mutex_);
  if (!is_on_) return;
  block.runs_unused = 0;
  blocks_.push_back(std::move(block));
}

void MemoryPool::start_run() {
  const std::lock_guard lock(mutex_);
  std::erase_if(blocks_, [](MemoryBlock& block) { return block.runs_unused++ > 0; });
}

void MemoryPool::clear() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
}

size_t MemoryPool::block_count() const {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}

size_t MemoryPool::bytes() const {
  const std::lock_guard lock(mutex_);
  size_t sum = 0;
  for (const MemoryBlock& block : blocks_) sum += block.bytes;
  return sum;
}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  give_back();
  block_ = std::move(other.block_);
  pool_ = other.pool_;
  return *this;
}

std::byte* DeviceMemory::map(VkDevice device) {
  if (block_.mapped) return block_.mapped;
  void* mapped = nullptr;
  check(vkMapMemory(device, block_.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  return block_.mapped = static_cast<std::byte*>(mapped);
}

void DeviceMemory::give_back() noexcept {
  if (!pool_ || !block_.memory) return;
  try {
    pool_->put(std::move(block_));
  } catch (const std::exception&) {  // no room in the list: the memory is freed
  }
}

}  // namespace gpupost
