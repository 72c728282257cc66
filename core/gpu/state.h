// State of an open device, and recording of a plan's passes.
#pragma once

#include "core/gpu/commands.h"
#include "core/gpu/pipelines.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

// Bytes of the counters of a pass in `PlanBuffers::outside`, at which every device can bind a buffer.
inline constexpr size_t bounds_bytes = 256;

// Buffers of a plan's passes.
struct PlanBuffers {
  std::vector<Buffer> scratch, tables;  // one per pass; empty if not needed
  std::vector<Buffer> point_tables;     // one per pass: source of the copy to the end of its table
  Buffer statistics;                    // empty if the plan has no statistics
  Buffer outside;                       // counters of accesses out of bounds; empty if bounds are not checked
};

struct Gpu::State {
  explicit State(const DeviceInfo& info);

  std::vector<Image> create_images(std::span<const PlanImage> images) const;
  PlanBuffers create_buffers(const Plan& plan) const;
  // Sets scratch memory to 0 and fills the tables, once per recording. Passes leave both unchanged.
  void fill_buffers(VkCommandBuffer commands, const Plan& plan, const PlanBuffers& buffers) const;
  // Uploads the plan's second inputs to its images.
  std::vector<Buffer> source_buffers(const Plan& plan) const;
  void upload_sources(VkCommandBuffer commands, const Plan& plan, std::span<const Buffer> buffers,
                      std::span<const Image> images) const;
  // Time limit for `repeats` runs of the plan in one submission.
  TimeLimit time_limit(const Plan& plan, int repeats = 1) const;
  // Records the reset of the statistics and the passes, with a barrier after each. `clock`, if given, adds a timestamp
  // after each barrier. Call pipelines.begin() with enough sets before.
  void record(VkCommandBuffer commands, const Plan& plan, std::span<const Image> images, const PlanBuffers& buffers,
              Clock* clock);

  Device device;
  Pipelines pipelines;
  Owned<VkCommandPool> pool;
};

}  // namespace gpupost
