// Pipelines of passes, and the binding of their resources.
#pragma once

#include "core/gpu/device.h"

#include <array>
#include <map>
#include <span>
#include <string>

namespace gpupost {

// Handles of the resources of a pass.
struct Bound {
  VkImageView source = nullptr;
  VkImageView second_source = nullptr;  // null if the pass reads one image
  std::vector<VkImageView> more_sources;
  std::vector<VkImageView> targets;
  std::array<VkImageView, 2> source_words{};  // of both sources, if a pass reads them from storage images; else null
  std::vector<LevelBuffer> target_words;      // where it writes them as words
  VkBuffer statistics = nullptr;              // null if the plan has no statistics
  VkBuffer scratch = nullptr;                 // null if the pass has no scratch buffer
  VkBuffer table = nullptr;                   // null if the pass has no table
  size_t table_bytes = 0;
  VkDescriptorBufferInfo outside{};  // counters of accesses out of bounds; null if bounds are not checked
};

class Pipelines {
 public:
  explicit Pipelines(const Device& device);
  // Saves the driver's pipeline cache to disk if it has grown.
  ~Pipelines();
  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;

  // The pipeline of a pass, created at its first use.
  VkPipeline pipeline(const Pass& pass);
  // Creates the pipelines of several passes on all cores.
  void prepare(std::span<const Pass> passes);
  // Allocates descriptor sets for a recording. Does nothing with push descriptors.
  void begin(int pass_count);
  // Binds pipeline, images, buffers and push constants of a pass; it does not dispatch.
  void bind(VkCommandBuffer commands, const Pass& pass, const Bound& bound);

 private:
  Owned<VkSampler> create_sampler(VkFilter filter) const;
  void create_layouts();
  std::string text_of(const Pass& pass) const;
  Owned<VkPipeline> create(const std::string& text, const Pass& pass) const;
  void keep_cache() const;
  std::string cache_name() const;
  uint64_t cache_key() const;

  const Device& device_;
  int target_count_ = 0;  // length of the target array in the layout
  Buffer spare_;          // bound where a pass has no buffer
  Owned<VkSampler> nearest_, linear_;
  Owned<VkDescriptorSetLayout> set_layout_;
  Owned<VkPipelineLayout> layout_;
  Owned<VkPipelineCache> cache_;
  size_t cached_bytes_ = 0;
  Owned<VkDescriptorPool> pool_;
  PFN_vkCmdPushDescriptorSetKHR push_ = nullptr;
  std::map<std::string, Owned<VkPipeline>> pipelines_;  // by shader text
};

}  // namespace gpupost
