// Compiled passes, and the one way to bind what they read and write.
#pragma once

#include "core/gpu/device.h"

#include <map>
#include <span>
#include <string>

namespace gpupost {

// What a pass reads and writes, as handles.
struct Bound {
  VkImageView source = nullptr;
  VkImageView second_source = nullptr;  // none: the pass reads one image
  std::vector<VkImageView> more_sources;
  std::vector<VkImageView> targets;
  VkBuffer statistics = nullptr;  // none: the plan keeps no statistics
  VkBuffer scratch = nullptr;     // none: the pass has no scratch memory
  VkBuffer table = nullptr;       // none: the pass has no table
  size_t table_bytes = 0;
  VkDescriptorBufferInfo outside{};  // where it counts what it does outside of them all; none: bounds are not checked
};

class Pipelines {
 public:
  explicit Pipelines(const Device& device);
  // Keeps the driver's pipeline cache on disk where it has grown.
  ~Pipelines();
  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;

  // The pipeline of a pass, made at its first use.
  VkPipeline pipeline(const Pass& pass);
  // Makes those of many passes on every core.
  void prepare(std::span<const Pass> passes);
  // Readies as many ordinary descriptor sets as a recording needs; nothing to do where they are pushed.
  void begin(int pass_count);
  // Binds pipeline, images, buffers and values of a pass: everything but the dispatch.
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
  int target_count_ = 0;  // length of the array of targets in the layout
  Buffer spare_;          // stands where a pass has no buffer
  Owned<VkSampler> nearest_, linear_;
  Owned<VkDescriptorSetLayout> set_layout_;
  Owned<VkPipelineLayout> layout_;
  Owned<VkPipelineCache> cache_;
  size_t cached_bytes_ = 0;
  Owned<VkDescriptorPool> pool_;
  PFN_vkCmdPushDescriptorSetKHR push_ = nullptr;
  std::map<std::string, Owned<VkPipeline>> pipelines_;  // by their text
};

}  // namespace gpupost
