#include "core/gpu/commands.h"

#include "core/gpu/instance.h"

#include <cstdlib>
#include <string_view>

namespace gpupost {

bool has_fault(std::string_view name) {
  const char* fault = std::getenv("GPUPOST_FAULT");
  return fault && fault == name && validation_is_on();
}

void barrier(VkCommandBuffer commands) {
  static const bool is_left_out = has_fault("barriers");
  if (is_left_out) return;
  constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
  vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void barrier_to_host(VkCommandBuffer commands) {
  const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  vkCmdPipelineBarrier(commands, stages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void ready(VkCommandBuffer commands, const Image& image) {
  const VkImageMemoryBarrier to_general{
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
      .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
      .newLayout = VK_IMAGE_LAYOUT_GENERAL,
      .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
      .image = image.handle(),
      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1}};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                       VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr,
                       1, &to_general);
}

VkBufferImageCopy whole_level(const PlanImage& plan, int level, size_t offset) {
  const Size size = level_size(plan.size, level);
  return {.bufferOffset = offset,
          .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, uint32_t(level), 0, 1},
          .imageExtent = {uint32_t(size.width), uint32_t(size.height), 1}};
}

Clock::Clock(const Device& device, int step_count, int tick_count)
    : device_(device), step_count_(step_count), count_(uint32_t(tick_count) + 1) {
  if (device.nanoseconds_per_tick() == 0) return;
  const VkQueryPoolCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = count_};
  VkQueryPool handle = nullptr;
  check(vkCreateQueryPool(device.handle(), &info, nullptr, &handle), "vkCreateQueryPool");
  pool_ = {device.handle(), handle, vkDestroyQueryPool};
}

void Clock::begin(VkCommandBuffer commands) {
  if (!pool_) return;
  vkCmdResetQueryPool(commands, pool_, 0, count_);
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, 0);
}

void Clock::tick(VkCommandBuffer commands, int step) {
  steps_.push_back(step);
  if (pool_) vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, uint32_t(steps_.size()));
}

uint64_t ticks_between(uint64_t begin, uint64_t end, uint32_t valid_bits) {
  const uint64_t valid = valid_bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << valid_bits) - 1;
  return (end - begin) & valid;
}

std::vector<double> Clock::milliseconds() const {
  std::vector<double> steps(static_cast<size_t>(step_count_));
  if (!pool_) return steps;
  std::vector<uint64_t> ticks(count_);
  check(vkGetQueryPoolResults(device_.handle(), pool_, 0, count_, ticks.size() * sizeof ticks[0], ticks.data(),
                              sizeof ticks[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "vkGetQueryPoolResults");
  for (size_t index = 0; index < steps_.size(); ++index)
    steps[size_t(steps_[index])] += double(ticks_between(ticks[index], ticks[index + 1], device_.timestamp_bits())) *
                                    device_.nanoseconds_per_tick() * 1e-6;
  return steps;
}

Recording::Recording(const Device& device, VkCommandPool pool, bool is_reused) : device_(device), pool_(pool) {
  const VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
  check(vkAllocateCommandBuffers(device.handle(), &allocate, &commands_), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                       .flags = is_reused ? VkFlags(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT)
                                                          : VkFlags(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)};
  check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
}

Recording::~Recording() {
  if (!driver_is_stuck()) vkFreeCommandBuffers(device_.handle(), pool_, 1, &commands_);
}

void Recording::end() { check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer"); }

namespace {

struct Submitted {
  VkResult submit = VK_SUCCESS, wait = VK_SUCCESS;
};

// Some drivers do the work within vkQueueSubmit() itself.
Submitted submit_and_wait(VkDevice device, VkQueue queue, const std::vector<VkCommandBuffer>& commands, VkFence fence) {
  const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .commandBufferCount = uint32_t(commands.size()),
                          .pCommandBuffers = commands.data()};
  if (const VkResult result = vkQueueSubmit(queue, 1, &info, fence); result != VK_SUCCESS) return {.submit = result};
  const VkResult result = vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX);
  if (result != VK_SUCCESS) vkDeviceWaitIdle(device);  // the caller destroys objects that the device may still use
  return {.wait = result};
}

}  // namespace

void submit(const Device& device, std::span<const VkCommandBuffer> commands, const TimeLimit& limit) {
  const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = nullptr;
  check(vkCreateFence(device.handle(), &fence_info, nullptr, &fence), "vkCreateFence");
  const Owned<VkFence> owned_fence(device.handle(), has_fault("leak") ? nullptr : fence, vkDestroyFence);
  const Submitted done = call_within(
      limit, [handle = device.handle(), queue = device.queue(), list = std::vector(commands.begin(), commands.end()),
              fence] { return submit_and_wait(handle, queue, list, fence); });
  check(done.submit, "vkQueueSubmit");
  check(done.wait, "vkWaitForFences");
  if (validation_message_count() > 0)
    fail(Exit::bug, "the Vulkan validation layer reported {} messages", validation_message_count());
}

void submit(const Device& device, Recording& recording, const TimeLimit& limit) {
  recording.end();
  submit(device, {{recording.commands()}}, limit);
}

void submit(const Device& device, Recording& recording) { submit(device, recording, device.time_limit()); }

}  // namespace gpupost
