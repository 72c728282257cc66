#include "core/gpu/pipelines.h"

#include "core/base/threads.h"
#include "core/glsl/shader_text.h"
#include "core/gpu/cache.h"

#include <algorithm>
#include <cassert>

namespace gpupost {

constexpr uint32_t word_sources = 2;
constexpr int most_targets = 15;  // levels below the base of 32768 texels a side

Pipelines::Pipelines(const Device& device)
    : device_(device),
      target_count_(std::min(most_targets, device.info().traits.max_storage_images)),
      spare_(device, 32, Buffer::Use::device, "spare") {
  create_layouts();
  const auto stored = read_cached(cache_name(), cache_key());
  cached_bytes_ = stored ? stored->size() : 0;
  const VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                       .initialDataSize = cached_bytes_,
                                       .pInitialData = stored ? stored->data() : nullptr};
  VkPipelineCache cache = nullptr;
  check(vkCreatePipelineCache(device.handle(), &info, nullptr, &cache), "vkCreatePipelineCache");
  cache_ = {device.handle(), cache, vkDestroyPipelineCache};
  if (device.has_push_descriptors())
    push_ = device.function<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR");
}

Pipelines::~Pipelines() {
  try {
    keep_cache();
  } catch (const std::exception&) {  // memory ran out; the next run compiles again
  }
}

void Pipelines::keep_cache() const {
  size_t bytes = 0;
  if (driver_is_stuck()) return;
  if (vkGetPipelineCacheData(device_.handle(), cache_, &bytes, nullptr) != VK_SUCCESS || bytes <= cached_bytes_) return;
  std::vector<std::byte> data(bytes);
  if (vkGetPipelineCacheData(device_.handle(), cache_, &bytes, data.data()) != VK_SUCCESS) return;
  data.resize(bytes);
  write_cached(cache_name(), cache_key(), data);
}

std::string Pipelines::cache_name() const { return fmt::format("pipelines-{}", device_.info().uuid); }

uint64_t Pipelines::cache_key() const {
  return hash_of(device_.info().uuid + device_.info().driver_uuid + device_.info().driver);
}

// Coordinates are in texels, so that corners between texels are exact.
Owned<VkSampler> Pipelines::create_sampler(VkFilter filter) const {
  const VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                 .magFilter = filter,
                                 .minFilter = filter,
                                 .mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                 .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                 .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                 .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                 .unnormalizedCoordinates = VK_TRUE};
  VkSampler sampler = nullptr;
  check(vkCreateSampler(device_.handle(), &info, nullptr, &sampler), "vkCreateSampler");
  return {device_.handle(), sampler, vkDestroySampler};
}

void Pipelines::create_layouts() {
  nearest_ = create_sampler(VK_FILTER_NEAREST);
  linear_ = create_sampler(VK_FILTER_LINEAR);

  const auto binding = [](uint32_t index, VkDescriptorType type, int count) {
    return VkDescriptorSetLayoutBinding{.binding = index,
                                        .descriptorType = type,
                                        .descriptorCount = uint32_t(count),
                                        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  };
  std::vector<VkDescriptorSetLayoutBinding> bindings{
      binding(source_binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1),
      binding(second_source_binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1),
      binding(target_binding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, target_count_),
      binding(statistics_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      binding(scratch_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      binding(table_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      binding(far_table_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)};
  for (size_t index = 0; index < most_more_sources; ++index)
    bindings.push_back(binding(more_sources_binding + uint32_t(index), VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1));
  if (device_.checks_bounds()) bindings.push_back(binding(bounds_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1));
  // all in all 31: drivers guarantee 32 push descriptors
  if (device_.info().traits.has_image_buffers) {
    for (uint32_t index = 0; index < word_sources; ++index)
      bindings.push_back(binding(source_words_binding + index, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1));
    for (uint32_t index = 0; index < most_word_targets; ++index)
      bindings.push_back(binding(target_words_binding + index, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1));
  }
  const VkDescriptorSetLayoutCreateInfo set_info{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .flags = device_.has_push_descriptors() ? VkFlags(VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) : 0,
      .bindingCount = uint32_t(bindings.size()),
      .pBindings = bindings.data()};
  VkDescriptorSetLayout set_layout = nullptr;
  check(vkCreateDescriptorSetLayout(device_.handle(), &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  set_layout_ = {device_.handle(), set_layout, vkDestroyDescriptorSetLayout};

  const VkPushConstantRange range{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = most_pushed * sizeof(int32_t)};
  const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
  VkPipelineLayout layout = nullptr;
  check(vkCreatePipelineLayout(device_.handle(), &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
  layout_ = {device_.handle(), layout, vkDestroyPipelineLayout};
}

namespace {

struct Created {
  VkResult result = VK_SUCCESS;
  VkPipeline pipeline = nullptr;
};

Created create(VkDevice device, VkPipelineCache cache, const VkComputePipelineCreateInfo& info) {
  Created made;
  made.result = vkCreateComputePipelines(device, cache, 1, &info, nullptr, &made.pipeline);
  return made;
}

}  // namespace

Owned<VkPipeline> Pipelines::create(const std::string& text, const Pass& pass) const {
  const Author author = author_of(pass);
  const std::vector<uint32_t> words = spirv_of(text, pass.name, author);
  const VkShaderModuleCreateInfo module_info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = words.size() * sizeof words[0],
                                             .pCode = words.data()};
  VkShaderModule module = nullptr;
  check(vkCreateShaderModule(device_.handle(), &module_info, nullptr, &module), "vkCreateShaderModule");
  const Owned<VkShaderModule> owned_module(device_.handle(), module, vkDestroyShaderModule);
  const bool has_subgroups = pass.arithmetic.subgroup_size > 0 || pass.arithmetic.reduces_in_subgroups;
  const VkComputePipelineCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = pass.runs_in_strips() ? VkFlags(VK_PIPELINE_CREATE_DISPATCH_BASE_BIT) : 0,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .flags = has_subgroups && device_.has_full_subgroups()
                             ? VkFlags(VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT)
                             : 0,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main"},
      .layout = layout_};
  const TimeLimit limit = author == Author::user      ? device_.time_limit(Device::users_seconds)
                          : author == Author::library ? device_.time_limit(Device::usual_seconds)
                                                      : TimeLimit{};
  const Created made = call_within(limit, [device = device_.handle(), cache = VkPipelineCache(cache_), info] {
    return gpupost::create(device, cache, info);
  });
  check(made.result, "vkCreateComputePipelines");
  device_.name(VK_OBJECT_TYPE_PIPELINE, uint64_t(made.pipeline), pass.name);
  return {device_.handle(), made.pipeline, vkDestroyPipeline};
}

std::string Pipelines::text_of(const Pass& pass) const {
  return device_.checks_bounds() ? bounds_checking_glsl_of(pass) : glsl_of(pass);
}

VkPipeline Pipelines::pipeline(const Pass& pass) {
  std::string text = text_of(pass);
  if (const auto found = pipelines_.find(text); found != pipelines_.end()) return found->second;
  return pipelines_[text] = create(text, pass);
}

void Pipelines::prepare(std::span<const Pass> passes) {
  std::map<std::string, const Pass*> missing;  // by shader text
  for (const Pass& pass : passes)
    if (std::string text = text_of(pass); !pipelines_.contains(text)) missing.emplace(std::move(text), &pass);
  const std::vector<std::pair<std::string, const Pass*>> list(missing.begin(), missing.end());
  std::vector<Owned<VkPipeline>> made(list.size());
  parallel_ranges(int(list.size()), 1, [&](int begin, int end) {
    for (auto index = size_t(begin); index < size_t(end); ++index)
      made[index] = create(list[index].first, *list[index].second);
  });
  for (size_t index = 0; index < list.size(); ++index) pipelines_[list[index].first] = std::move(made[index]);
}

void Pipelines::begin(int pass_count) {
  if (push_ || pass_count == 0) return;
  const uint32_t count = uint32_t(pass_count);
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, uint32_t(2 + most_more_sources) * count},
      {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, (uint32_t(target_count_) + word_sources) * count},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, (5 + uint32_t(most_word_targets)) * count}};
  const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                        .maxSets = count,
                                        .poolSizeCount = std::size(sizes),
                                        .pPoolSizes = sizes};
  VkDescriptorPool pool = nullptr;
  check(vkCreateDescriptorPool(device_.handle(), &info, nullptr, &pool), "vkCreateDescriptorPool");
  pool_ = {device_.handle(), pool, vkDestroyDescriptorPool};
}

void Pipelines::bind(VkCommandBuffer commands, const Pass& pass, const Bound& bound) {
  VkDescriptorSet set = nullptr;
  if (!push_) {
    const VkDescriptorSetLayout layout = set_layout_;
    const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = pool_,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &layout};
    check(vkAllocateDescriptorSets(device_.handle(), &info, &set), "vkAllocateDescriptorSets");
  }
  const auto write = [set](uint32_t binding, VkDescriptorType type, uint32_t count) {
    return VkWriteDescriptorSet{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = set,
                                .dstBinding = binding,
                                .descriptorCount = count,
                                .descriptorType = type};
  };
  const VkSampler sampler = pass.access.samples_at_corners ? linear_ : nearest_;
  const VkDescriptorImageInfo source{sampler, bound.source, VK_IMAGE_LAYOUT_GENERAL};
  const VkDescriptorImageInfo second_source{nearest_, bound.second_source ? bound.second_source : bound.source,
                                            VK_IMAGE_LAYOUT_GENERAL};
  std::array<VkDescriptorImageInfo, most_more_sources> more_sources;
  for (size_t index = 0; index < more_sources.size(); ++index)
    more_sources[index] = {nearest_, index < bound.more_sources.size() ? bound.more_sources[index] : bound.source,
                           VK_IMAGE_LAYOUT_GENERAL};
  std::vector<VkDescriptorImageInfo> targets;
  for (int index = 0; index < target_count_; ++index)  // unused targets repeat the last level; no shader writes to them
    targets.push_back(
        {nullptr, bound.targets[std::min(size_t(index), bound.targets.size() - 1)], VK_IMAGE_LAYOUT_GENERAL});
  const auto whole = [this](VkBuffer buffer) {
    return VkDescriptorBufferInfo{buffer ? buffer : spare_.handle(), 0, VK_WHOLE_SIZE};
  };
  const VkDescriptorBufferInfo statistics = whole(bound.statistics), scratch = whole(bound.scratch);
  const VkDescriptorBufferInfo spare = whole(nullptr);
  constexpr size_t window_bytes = table_window * sizeof(float);
  VkDescriptorBufferInfo table = whole(bound.table), far_table = spare;
  if (bound.table_bytes > window_bytes) {
    table.range = window_bytes;
    far_table = {bound.table, window_bytes, VK_WHOLE_SIZE};
  }
  // every binding is written, because llvmpipe 22.3.6 reads unused ones too
  std::vector<VkWriteDescriptorSet> writes{
      write(source_binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1),
      write(second_source_binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1),
      write(target_binding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, uint32_t(targets.size())),
      write(statistics_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      write(scratch_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      write(table_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      write(far_table_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1)};
  writes[0].pImageInfo = &source;
  writes[1].pImageInfo = &second_source;
  writes[2].pImageInfo = targets.data();
  writes[3].pBufferInfo = &statistics;
  writes[4].pBufferInfo = &scratch;
  writes[5].pBufferInfo = &table;
  writes[6].pBufferInfo = &far_table;
  for (size_t index = 0; index < more_sources.size(); ++index) {
    writes.push_back(write(more_sources_binding + uint32_t(index), VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1));
    writes.back().pImageInfo = &more_sources[index];
  }
  if (device_.checks_bounds()) {
    writes.push_back(write(bounds_binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1));
    writes.back().pBufferInfo = bound.outside.buffer ? &bound.outside : &spare;
  }
  std::array<VkDescriptorImageInfo, word_sources> source_words;
  std::array<VkDescriptorBufferInfo, most_word_targets> target_words;
  if (device_.info().traits.has_image_buffers) {
    for (size_t index = 0; index < source_words.size(); ++index) {
      const VkImageView view = bound.source_words[index];
      source_words[index] = {nullptr, view ? view : bound.source, VK_IMAGE_LAYOUT_GENERAL};
      writes.push_back(write(source_words_binding + uint32_t(index), VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1));
      writes.back().pImageInfo = &source_words[index];
    }
    for (size_t index = 0; index < target_words.size(); ++index) {
      target_words[index] = index < bound.target_words.size() ? bound.target_words[index].range : spare;
      writes.push_back(write(target_words_binding + uint32_t(index), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1));
      writes.back().pBufferInfo = &target_words[index];
    }
  }

  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline(pass));
  if (push_) {
    push_(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, uint32_t(writes.size()), writes.data());
  } else {
    vkUpdateDescriptorSets(device_.handle(), uint32_t(writes.size()), writes.data(), 0, nullptr);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  }
  std::vector<int32_t> values = pushed_words(pass);
  for (const LevelBuffer& target : bound.target_words) values.push_back(target.pitch);
  assert(values.size() <= most_pushed);
  if (!values.empty())
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(values.size() * sizeof values[0]),
                       values.data());
}

}  // namespace gpupost
