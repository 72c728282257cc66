// Records and submits command buffers, with barriers and timestamps.
#pragma once

#include "core/gpu/device.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

// A fault that tests inject with GPUPOST_FAULT to check that it is detected: "barriers" omits them, "pass" omits the
// last of several passes, "leak" does not destroy a fence, "overrun" makes scratch memory too small. Only with the
// validation layer.
bool has_fault(std::string_view name);

// A global memory barrier between passes.
void barrier(VkCommandBuffer commands);
void barrier_to_host(VkCommandBuffer commands);

// Transitions all levels of a new image to VK_IMAGE_LAYOUT_GENERAL, which all images use.
void ready(VkCommandBuffer commands, const Image& image);

// Copy region between a level of an image and a buffer, starting at `offset`.
VkBufferImageCopy whole_level(const PlanImage& plan, int level, size_t offset);

// Ticks between two timestamps. Only the lowest `valid_bits` count, because the counter wraps around.
uint64_t ticks_between(uint64_t begin, uint64_t end, uint32_t valid_bits);

// Timestamps between the steps of a recording. Devices without timestamps give zeros.
class Clock {
 public:
  // `tick_count`: calls of tick(), if a step has several.
  Clock(const Device& device, int step_count, int tick_count);
  Clock(const Device& device, int step_count) : Clock(device, step_count, step_count) {}
  void begin(VkCommandBuffer commands);
  // Ends a step, or a part of it: the time since the last call is added to it.
  void tick(VkCommandBuffer commands, int step);
  void tick(VkCommandBuffer commands) { tick(commands, next_step()); }
  int next_step() const { return steps_.empty() ? 0 : *std::ranges::max_element(steps_) + 1; }
  // Milliseconds of each step. Call it after the work is done.
  std::vector<double> milliseconds() const;

 private:
  const Device& device_;
  int step_count_ = 0;
  uint32_t count_ = 0;      // timestamps
  std::vector<int> steps_;  // of each tick
  Owned<VkQueryPool> pool_;
};

// A command buffer, open for recording.
class Recording {
 public:
  // `is_reused`: the command buffer may be used several times in one submission.
  Recording(const Device& device, VkCommandPool pool, bool is_reused = false);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  VkCommandBuffer commands() const { return commands_; }
  void end();

 private:
  const Device& device_;
  VkCommandPool pool_ = nullptr;
  VkCommandBuffer commands_ = nullptr;
};

// Submits the command buffers and waits for them. Throws DriverStuck after the limit.
void submit(const Device& device, std::span<const VkCommandBuffer> commands, const TimeLimit& limit);
void submit(const Device& device, Recording& recording, const TimeLimit& limit);
void submit(const Device& device, Recording& recording);  // for copies, with the usual time limit

}  // namespace gpupost
