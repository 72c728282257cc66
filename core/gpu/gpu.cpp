// A plan, recorded and run: upload, passes, download in one submission.
#include "core/gpu/gpu.h"

#include "core/gpu/instance.h"
#include "core/gpu/pipelines.h"
#include "core/threads.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace gpupost {

struct Gpu::State {
  explicit State(const DeviceInfo& info) : device(info), pipelines(device) {
    const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                            .queueFamilyIndex = device.queue_family()};
    VkCommandPool handle = nullptr;
    check(vkCreateCommandPool(device.handle(), &pool_info, nullptr, &handle), "vkCreateCommandPool");
    pool = {device.handle(), handle, vkDestroyCommandPool};
  }

  Device device;
  Pipelines pipelines;
  Owned<VkCommandPool> pool;
};

Gpu::Gpu(const DeviceInfo& device) : state_(std::make_unique<State>(device)) {}
Gpu::Gpu(Gpu&&) noexcept = default;
Gpu::~Gpu() = default;

const DeviceInfo& Gpu::info() const { return state_->device.info(); }

void Gpu::prepare(const Plan& plan) {
  for (const Pass& pass : plan.passes) state_->pipelines.pipeline(pass);
}

namespace {

// A fault that the tests ask for, to see that the validation layer reports one: no barriers. Without the layer there is none.
bool lacks_barriers() {
  static const bool is_so = [] {
    const char* fault = std::getenv("GPUPOST_FAULT");
    return fault && std::string_view(fault) == "barriers" && validation_is_on();
  }();
  return is_so;
}

// Makes everything before it visible to everything behind it. One global barrier is all a chain of passes needs.
void barrier(VkCommandBuffer commands) {
  if (lacks_barriers()) return;
  constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
  vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void barrier_to_host(VkCommandBuffer commands) {
  const VkMemoryBarrier memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr,
                       0, nullptr);
}

// All levels of a fresh image to the one layout that images have here.
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

// Timestamps between the steps of a recording; a device without them gives zeros.
class Clock {
 public:
  Clock(const Device& device, int step_count) : device_(device), count_(uint32_t(step_count) + 1) {
    if (device.nanoseconds_per_tick() == 0) return;
    const VkQueryPoolCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = count_};
    VkQueryPool handle = nullptr;
    check(vkCreateQueryPool(device.handle(), &info, nullptr, &handle), "vkCreateQueryPool");
    pool_ = {device.handle(), handle, vkDestroyQueryPool};
  }
  void begin(VkCommandBuffer commands) {
    if (!pool_) return;
    vkCmdResetQueryPool(commands, pool_, 0, count_);
    tick(commands);
  }
  void tick(VkCommandBuffer commands) {
    if (pool_) vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, next_++);
  }
  // Milliseconds of each step, after the work is done.
  std::vector<double> milliseconds() const {
    std::vector<double> steps(count_ - 1);
    if (!pool_) return steps;
    std::vector<uint64_t> ticks(count_);
    check(vkGetQueryPoolResults(device_.handle(), pool_, 0, count_, ticks.size() * sizeof ticks[0], ticks.data(),
                                sizeof ticks[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    for (size_t index = 0; index + 1 < ticks.size(); ++index)
      steps[index] = double(ticks[index + 1] - ticks[index]) * device_.nanoseconds_per_tick() * 1e-6;
    return steps;
  }

 private:
  const Device& device_;
  uint32_t count_ = 0;
  uint32_t next_ = 0;
  Owned<VkQueryPool> pool_;
};

// What a plan's passes work on while it runs.
struct Objects {
  std::vector<Image> images;
  std::vector<Buffer> scratch;  // one a pass, empty where it needs none

  Objects(const Device& device, const Plan& plan) {
    for (size_t index = 0; index < plan.images.size(); ++index)
      images.emplace_back(device, plan.images[index], fmt::format("image {}", index));
    for (const Pass& pass : plan.passes)
      scratch.push_back(pass.scratch_bytes
                            ? Buffer(device, pass.scratch_bytes, Buffer::Use::device, pass.name + " scratch")
                            : Buffer());
  }
};

void record_passes(VkCommandBuffer commands, Pipelines& pipelines, const Plan& plan, const Objects& objects,
                   Clock& clock) {
  pipelines.begin(int(plan.passes.size()));
  for (size_t index = 0; index < plan.passes.size(); ++index) {
    const Pass& pass = plan.passes[index];
    const Buffer& scratch = objects.scratch[index];
    Bound bound{.source = objects.images[size_t(pass.source_image)].view(pass.source_level),
                .targets = {},
                .scratch = scratch.handle()};
    for (int level = pass.target_level; level < pass.target_level + pass.target_count; ++level)
      bound.targets.push_back(objects.images[size_t(pass.target_image)].view(level));
    if (scratch.handle()) {
      vkCmdFillBuffer(commands, scratch.handle(), 0, pass.zeroed_bytes, 0);
      barrier(commands);
    }
    pipelines.bind(commands, pass, bound);
    vkCmdDispatch(commands, uint32_t(pass.group_count[0]), uint32_t(pass.group_count[1]), 1);
    barrier(commands);
    clock.tick(commands);
  }
}

// The base level as a buffer the device can read: the host's own pages where that is the device's memory anyway.
Buffer upload_buffer(const Device& device, const Level& base) {
  const DeviceType type = device.info().traits.type;
  if (type == DeviceType::cpu || type == DeviceType::integrated) {
    Buffer imported = Buffer::import(device, base.texels.bytes(), "upload (imported)");
    if (imported.handle()) return imported;
  }
  Buffer staging(device, base.texels.size(), Buffer::Use::upload, "upload");
  parallel_ranges(int(base.texels.size() >> 12) + 1, 4096, [&](int begin, int end) {
    const size_t from = size_t(begin) << 12, to = std::min(base.texels.size(), size_t(end) << 12);
    std::memcpy(staging.mapped() + from, base.texels.data() + from, to - from);
  });
  staging.flush(device);
  return staging;
}

class Recording {
 public:
  Recording(const Device& device, VkCommandPool pool) : device_(device) {
    check(vkResetCommandPool(device.handle(), pool, 0), "vkResetCommandPool");
    const VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = pool,
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
    check(vkAllocateCommandBuffers(device.handle(), &allocate, &commands_), "vkAllocateCommandBuffers");
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    check(vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  }
  VkCommandBuffer commands() const { return commands_; }
  // Runs what was recorded and waits for it.
  void submit() {
    check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
    const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = nullptr;
    check(vkCreateFence(device_.handle(), &fence_info, nullptr, &fence), "vkCreateFence");
    const Owned<VkFence> owned_fence(device_.handle(), fence, vkDestroyFence);
    const VkSubmitInfo submit{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands_};
    check(vkQueueSubmit(device_.queue(), 1, &submit, fence), "vkQueueSubmit");
    check(vkWaitForFences(device_.handle(), 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    if (validation_message_count() > 0)
      fail(Exit::bug, "the validation layer has {} messages", validation_message_count());
  }

 private:
  const Device& device_;
  VkCommandBuffer commands_ = nullptr;
};

}  // namespace

RunResult Gpu::run(const Plan& plan, const Level& base, int first_level) {
  const Device& device = state_->device;
  Objects objects(device, plan);
  const Buffer upload = upload_buffer(device, base);

  const PlanImage& result_image = plan.images[size_t(plan.result_image)];
  RunResult result;
  std::vector<VkBufferImageCopy> copies;
  size_t bytes = 0;
  for (int level = first_level; level < result_image.level_count; ++level) {
    const Size size = level_size(result_image.size, level);
    const size_t level_bytes = texel_count(size) * 4 * bytes_of(result_image.depth);
    copies.push_back(whole_level(result_image, level, bytes));
    result.levels.push_back({size, Memory(level_bytes)});
    bytes += level_bytes;
  }
  const Buffer download = bytes ? Buffer(device, bytes, Buffer::Use::download, "download") : Buffer();

  Clock clock(device, int(plan.passes.size()) + 2);
  Recording recording(device, state_->pool);
  const VkCommandBuffer commands = recording.commands();
  clock.begin(commands);
  for (const Image& image : objects.images) ready(commands, image);
  const VkBufferImageCopy whole_base = whole_level(plan.images[0], 0, 0);
  vkCmdCopyBufferToImage(commands, upload.handle(), objects.images[0].handle(), VK_IMAGE_LAYOUT_GENERAL, 1,
                         &whole_base);
  barrier(commands);
  clock.tick(commands);
  record_passes(commands, state_->pipelines, plan, objects, clock);
  if (!copies.empty())
    vkCmdCopyImageToBuffer(commands, objects.images[size_t(plan.result_image)].handle(), VK_IMAGE_LAYOUT_GENERAL,
                           download.handle(), uint32_t(copies.size()), copies.data());
  barrier_to_host(commands);
  clock.tick(commands);
  recording.submit();

  if (download.handle()) download.invalidate(device);
  for (size_t index = 0; index < copies.size(); ++index)
    std::memcpy(result.levels[index].texels.data(), download.mapped() + copies[index].bufferOffset,
                result.levels[index].texels.size());
  const std::vector<double> steps = clock.milliseconds();
  result.times = {
      .upload_ms = steps.front(), .download_ms = steps.back(), .pass_ms = {steps.begin() + 1, steps.end() - 1}};
  return result;
}

double Gpu::copy_speed(Size size, Depth depth) {
  constexpr int copy_count = 6;
  Plan plan;
  plan.images = {{.size = size, .depth = depth}, {.size = size, .depth = depth}};
  const Pass copy{.name = "copy",
                  .kernel = "copy.glsl",
                  .values = {{"origin_x", 0}, {"origin_y", 0}, {"end_x", size.width}, {"end_y", size.height}},
                  .group_count = {(size.width + 63) / 64, (size.height + 15) / 16},
                  .source_image = 0,
                  .target_image = 1};
  plan.passes.assign(copy_count, copy);
  const Device& device = state_->device;
  const Objects objects(device, plan);
  Clock clock(device, copy_count);
  Recording recording(device, state_->pool);
  for (const Image& image : objects.images) ready(recording.commands(), image);
  clock.begin(recording.commands());
  record_passes(recording.commands(), state_->pipelines, plan, objects, clock);
  recording.submit();
  const std::vector<double> steps = clock.milliseconds();
  const double best = *std::min_element(steps.begin(), steps.end());
  return best > 0 ? 2.0 * double(texel_count(size) * 4 * bytes_of(depth)) / best * 1e-6 : 0;
}

}  // namespace gpupost
