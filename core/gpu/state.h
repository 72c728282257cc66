// What an open device keeps, and how a plan's passes are recorded on it.
#pragma once

#include "core/gpu/commands.h"
#include "core/gpu/pipelines.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpupost {

// What a plan's passes work with beside its images.
struct PlanBuffers {
  std::vector<Buffer> scratch, tables;  // one a pass, empty where it needs none
  std::vector<Buffer> point_tables;     // likewise: what is copied to the tables behind the pass's own
  Buffer statistics;                    // empty where the plan keeps none
  Buffer outside;                       // what passes count outside of their memory; empty where bounds are not checked
};

struct Gpu::State {
  explicit State(const DeviceInfo& info);

  std::vector<Image> create_images(std::span<const PlanImage> images) const;
  PlanBuffers create_buffers(const Plan& plan) const;
  // Zeroes what the passes expect to be zero, and fills their tables. Once a recording: they leave both as they are.
  void fill_buffers(VkCommandBuffer commands, const Plan& plan, const PlanBuffers& buffers) const;
  // What the host gives beside the picture: in buffers, and from there to its images.
  std::vector<Buffer> source_buffers(const Plan& plan) const;
  void upload_sources(VkCommandBuffer commands, const Plan& plan, std::span<const Buffer> buffers,
                      std::span<const Image> images) const;
  // How long `repeats` runs of the plan may take in one submission.
  TimeLimit time_limit(const Plan& plan, int repeats = 1) const;
  // The statistics zeroed, then the passes, with a barrier behind each; `clock`, where there is one, ticks behind each barrier. Before it
  // pipelines.begin() must have readied as many sets.
  void record(VkCommandBuffer commands, const Plan& plan, std::span<const Image> images, const PlanBuffers& buffers,
              Clock* clock);

  Device device;
  Pipelines pipelines;
  Owned<VkCommandPool> pool;
};

// Levels of an image on their way to the host.
class Download {
 public:
  Download(const Device& device, const PlanImage& image, int first_level);
  void record(VkCommandBuffer commands, const Image& image) const;
  std::vector<Level> levels();  // once, after the work is done

 private:
  const Device& device_;
  std::vector<VkBufferImageCopy> copies_;
  std::vector<Level> levels_;
  Buffer buffer_;
};

// A plan's statistics on their way to the host, where it returns some.
class StatisticsDownload {
 public:
  StatisticsDownload(const Device& device, const Plan& plan);
  void record(VkCommandBuffer commands, const PlanBuffers& buffers) const;  // before that of a Download
  std::vector<uint32_t> words() const;                                      // after the work is done

 private:
  const Device& device_;
  size_t bytes_ = 0;
  Buffer buffer_;
};

// What passes have counted outside of their images and buffers, on its way to the host, where bounds are checked.
class BoundsDownload {
 public:
  BoundsDownload(const Device& device, const Plan& plan);
  void record(VkCommandBuffer commands, const PlanBuffers& buffers) const;  // before that of a Download
  void check(const Plan& plan) const;  // after the work is done; throws Error(Exit::bug), naming the pass

 private:
  const Device& device_;
  Buffer buffer_;
};

}  // namespace gpupost
