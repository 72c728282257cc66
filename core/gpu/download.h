// Copies of a run's results to the host.
#pragma once

#include "core/gpu/state.h"

#include <vector>

namespace gpupost {

// Downloads levels of an image, which must outlive the download. Levels on the host's pages stay where they are.
class Download {
 public:
  Download(const Device& device, const Image& image, int first_level);
  void record(VkCommandBuffer commands) const;
  std::vector<Level> levels() const;  // after the work is done

 private:
  const Device& device_;
  const Image& image_;
  int first_level_;
  std::vector<VkBufferImageCopy> copies_;  // none if the image is on the host's pages
  Buffer buffer_;
};

// Downloads the statistics of a plan, if it returns any, and the counts of accesses out of bounds, if bounds are checked.
class BufferDownload {
 public:
  BufferDownload(const Device& device, const Plan& plan);
  void record(VkCommandBuffer commands, const PlanBuffers& buffers) const;  // call before Download::record
  // Call these after the work is done.
  void check_bounds(const Plan& plan) const;  // throws Error(Exit::bug) with the pass
  std::vector<uint32_t> statistics() const;

 private:
  const Device& device_;
  Buffer statistics_, outside_;
};

}  // namespace gpupost
