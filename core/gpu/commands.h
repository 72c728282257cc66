// Commands as they are recorded and submitted, with the barriers and time stamps between them.
#pragma once

#include "core/gpu/device.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

// A fault that the tests ask for by GPUPOST_FAULT, to see that it is noticed: "barriers", there are none; "pass", the last
// of several is left out; "leak", a fence is not destroyed; "overrun", scratch memory ends behind its counters. Without
// the validation layer there is none.
bool has_fault(std::string_view name);

// Makes everything before it visible to everything behind it. One global barrier is all a chain of passes needs.
void barrier(VkCommandBuffer commands);
void barrier_to_host(VkCommandBuffer commands);

// All levels of a fresh image to the one layout that images have here.
void ready(VkCommandBuffer commands, const Image& image);

// A level of an image and its texels in a buffer from `offset` on.
VkBufferImageCopy whole_level(const PlanImage& plan, int level, size_t offset);

// Ticks from one time stamp to the next, of which only the lowest `valid_bits` count: the counter wraps around behind them.
uint64_t ticks_between(uint64_t begin, uint64_t end, uint32_t valid_bits);

// Time stamps between the steps of a recording; a device without them gives zeros.
class Clock {
 public:
  Clock(const Device& device, int step_count);
  void begin(VkCommandBuffer commands);
  void tick(VkCommandBuffer commands);
  // Milliseconds of each step, after the work is done.
  std::vector<double> milliseconds() const;

 private:
  const Device& device_;
  uint32_t count_ = 0;
  uint32_t next_ = 0;
  Owned<VkQueryPool> pool_;
};

// A command buffer, open for recording.
class Recording {
 public:
  // `is_reused`: it may stand several times in one submission.
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

// Runs what was recorded, one after the other, and waits for it. Throws DriverStuck after the limit.
void submit(const Device& device, std::span<const VkCommandBuffer> commands, const TimeLimit& limit);
void submit(const Device& device, Recording& recording, const TimeLimit& limit);
void submit(const Device& device, Recording& recording);  // of copies, within the usual limit

}  // namespace gpupost
