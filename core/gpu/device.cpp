#include "core/gpu/device.h"

#include "core/gpu/instance.h"

namespace gpupost {

Device::Device(const DeviceInfo& info) : info_(info) {
  const std::vector<VkPhysicalDevice> devices = physical_devices();
  if (size_t(info.index) >= devices.size()) fail(Exit::device, "device {} is no longer there", info.traits.name);
  physical_ = devices[size_t(info.index)];
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
  open();
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
  set_name_ = function<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT");
}

namespace {

struct ComputeFamily {
  uint32_t index = 0;
  uint32_t timestamp_bits = 0;
};

}  // namespace

static ComputeFamily compute_family(VkPhysicalDevice physical) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (uint32_t index = 0; index < count; ++index)
    if (families[index].queueFlags & VK_QUEUE_COMPUTE_BIT) return {index, families[index].timestampValidBits};
  fail(Exit::device, "the device has no compute queue");
}

void Device::open() {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
  const bool can_import = has_device_extension(physical_, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (!can_import) properties.pNext = nullptr;
  vkGetPhysicalDeviceProperties2(physical_, &properties);
  nanoseconds_per_tick_ = info_.has_timestamps ? properties.properties.limits.timestampPeriod : 0;

  std::vector<const char*> extensions;
  checks_bounds_ = is_asked_for("GPUPOST_BOUNDS");
  // the validation layer cannot check accesses in push descriptor sets
  push_descriptors_ = has_device_extension(physical_, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) &&
                      !is_asked_for("GPUPOST_PLAIN_SETS") && !validation_is_assisted();
  if (push_descriptors_) extensions.push_back(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  if (can_import) {
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    import_alignment_ = size_t(host.minImportedHostPointerAlignment);
  }

  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT full_subgroups = subgroup_features(physical_);
  full_subgroups_ = full_subgroups.computeFullSubgroups == VK_TRUE;
  full_subgroups.subgroupSizeControl = VK_FALSE;
  if (full_subgroups_) extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);

  const DeviceTraits& traits = info_.traits;
  const VkPhysicalDeviceVulkan12Features features12{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .pNext = full_subgroups_ ? &full_subgroups : nullptr,
      .shaderFloat16 = traits.half.has_arithmetic,
      .shaderSubgroupExtendedTypes = traits.subgroup.has_quad || traits.subgroup.has_shuffle,
      .vulkanMemoryModel = traits.has_memory_model,
      .vulkanMemoryModelDeviceScope = traits.has_memory_model};
  const VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                           .pNext = const_cast<VkPhysicalDeviceVulkan12Features*>(&features12),
                                           .features = {.shaderStorageImageExtendedFormats = traits.has_image_buffers,
                                                        .shaderStorageImageWriteWithoutFormat = VK_TRUE}};
  const ComputeFamily family = compute_family(physical_);
  queue_family_ = family.index;
  timestamp_bits_ = family.timestamp_bits;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = queue_family_,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
  const VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &features,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue,
                                  .enabledExtensionCount = uint32_t(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data()};
  check(vkCreateDevice(physical_, &create, nullptr, &owned_device_.handle), "vkCreateDevice");
  device_ = owned_device_.handle;
}

uint32_t Device::memory_type(uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags liked,
                             VkDeviceSize bytes) const {
  // a GPU may let the host map a small heap only, of which other programs use a part
  const auto is_large = [&](uint32_t heap) { return memory_.memoryHeaps[heap].size / 4 >= bytes; };
  for (const bool has_liked : {true, false})
    for (uint32_t index = 0; index < memory_.memoryTypeCount; ++index) {
      const auto [flags, heap] = memory_.memoryTypes[index];
      const VkMemoryPropertyFlags wanted = has_liked ? needed | liked : needed;
      if ((allowed >> index & 1) && (flags & wanted) == wanted && (!has_liked || is_large(heap))) return index;
    }
  fail(Exit::device, "{} has no suitable memory type (properties {:#x})", info_.traits.name, needed);
}

void Device::name(VkObjectType type, uint64_t object, const std::string& text) const {
  if (!set_name_) return;
  const VkDebugUtilsObjectNameInfoEXT info{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                           .objectType = type,
                                           .objectHandle = object,
                                           .pObjectName = text.c_str()};
  check(set_name_(device_, &info), "vkSetDebugUtilsObjectNameEXT");
}

}  // namespace gpupost
