#include "core/gpu/instance.h"

#include "core/system/descriptor.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace gpupost {

static std::atomic<int> message_count{0};

int validation_message_count() { return message_count; }

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                 VkDebugUtilsMessageTypeFlagsEXT,
                                                 const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  ++message_count;
  std::fprintf(stderr, "gpupost: validation: %s\n", data->pMessage);
  return VK_FALSE;
}

static bool validation_is(const char* kind) {
  const char* wanted = std::getenv("GPUPOST_VALIDATE");
  return wanted && std::strcmp(wanted, kind) == 0;
}

bool validation_is_assisted() { return validation_is("assisted"); }

bool is_asked_for(const char* variable) {
  const char* value = std::getenv(variable);
  return value && std::string_view(value) == "1";
}

bool validation_is_on() { return validation_is("1") || validation_is_assisted(); }

static bool has_layer(const char* name) {
  uint32_t count = 0;
  check(vkEnumerateInstanceLayerProperties(&count, nullptr), "vkEnumerateInstanceLayerProperties");
  std::vector<VkLayerProperties> layers(count);
  check(vkEnumerateInstanceLayerProperties(&count, layers.data()), "vkEnumerateInstanceLayerProperties");
  for (const VkLayerProperties& layer : layers)
    if (std::strcmp(layer.layerName, name) == 0) return true;
  return false;
}

// Throws Error(Exit::limit) if the limits of the process may keep a driver from starting.
static void refuse_low_limits(const std::string& what) {
  constexpr size_t files_of_a_driver = 32;  // its manifest, libraries, device and caches
  if (!can_open_more(files_of_a_driver))
    fail(Exit::limit, "{}: too few file descriptors are left; raise `ulimit -n`", what);
  constexpr rlim_t space_of_drivers = rlim_t(4) << 30;  // more than a driver needs to start
  if (rlimit space = {}; getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < space_of_drivers)
    fail(Exit::limit, "{}: it may need more than the {} MiB of address space; raise `ulimit -v`", what,
         space.rlim_cur >> 20);
  if (rlimit data = {}; getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur < space_of_drivers)
    fail(Exit::limit, "{}: it may need more than the {} MiB of data; raise `ulimit -d`", what, data.rlim_cur >> 20);
}

static std::string with_advice(const std::string& what) {
  return fmt::format("{}; `gpupost doctor` says what is missing", what);
}

void fail_without_driver(const std::string& what) {
  refuse_low_limits(what);
  fail(Exit::device, "{}", with_advice(what));
}

// The Vulkan instance and, with validation, the messenger that counts messages. Both live until the process ends,
// because drivers crash if the instance is destroyed with static objects.
static VkInstance create_instance() {
  const VkApplicationInfo application{
      .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "gpupost", .apiVersion = VK_API_VERSION_1_2};
  const VkDebugUtilsMessengerCreateInfoEXT messenger{
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity =
          VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = on_message};
  const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
                                                  VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT};
  const VkValidationFeaturesEXT features{.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                         .pNext = &messenger,
                                         .enabledValidationFeatureCount = validation_is_assisted() ? 2u : 1u,
                                         .pEnabledValidationFeatures = enabled};
  const char* layer = "VK_LAYER_KHRONOS_validation";
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  const bool validate = validation_is_on();
  if (validate && !has_layer(layer))
    fail(Exit::device, "GPUPOST_VALIDATE needs the layer {} (package vulkan-validationlayers)", layer);
  const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pNext = validate ? &features : nullptr,
                                  .pApplicationInfo = &application,
                                  .enabledLayerCount = validate ? 1u : 0u,
                                  .ppEnabledLayerNames = &layer,
                                  .enabledExtensionCount = validate ? 1u : 0u,
                                  .ppEnabledExtensionNames = &extension};
  VkInstance made = nullptr;
  const VkResult result = vkCreateInstance(&info, nullptr, &made);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) fail_without_driver("no Vulkan driver was found");
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {  // the loader also returns this for a manifest that it cannot read
    const std::string what =
        "the Vulkan loader does not start; a manifest of a driver or a layer may be damaged (VK_LOADER_DEBUG=error "
        "names it)";
    refuse_low_limits(what);
    throw DamagedManifest(Exit::device, with_advice(what));
  }
  check(result, "vkCreateInstance");
  if (validate) {
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(made, "vkCreateDebugUtilsMessengerEXT"));
    VkDebugUtilsMessengerEXT handle = nullptr;
    check(create(made, &messenger, nullptr, &handle), "vkCreateDebugUtilsMessengerEXT");
  }
  return made;
}

VkInstance instance() {
  static const VkInstance made = create_instance();
  return made;
}

std::vector<VkPhysicalDevice> physical_devices() {
  uint32_t count = 0;
  const VkResult result = vkEnumeratePhysicalDevices(instance(), &count, nullptr);
  if (result == VK_ERROR_INITIALIZATION_FAILED) fail_without_driver("the Vulkan driver does not start");
  check(result, "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  check(vkEnumeratePhysicalDevices(instance(), &count, devices.data()), "vkEnumeratePhysicalDevices");
  devices.resize(count);
  return devices;
}

bool has_device_extension(VkPhysicalDevice device, const char* name) {
  uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()),
        "vkEnumerateDeviceExtensionProperties");
  for (const VkExtensionProperties& extension : extensions)
    if (std::strcmp(extension.extensionName, name) == 0) return true;
  return false;
}

VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroup_features(VkPhysicalDevice device) {
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroups{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &subgroups};
  if (has_device_extension(device, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
    vkGetPhysicalDeviceFeatures2(device, &features);
  subgroups.pNext = nullptr;
  return subgroups;
}

static std::string hexadecimal(const uint8_t* bytes) {
  std::string text;
  for (size_t index = 0; index < VK_UUID_SIZE; ++index) text += fmt::format("{:02x}", bytes[index]);
  return text;
}

static DeviceType type_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return DeviceType::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return DeviceType::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return DeviceType::cpu;
    default: return DeviceType::virtual_gpu;
  }
}

static void describe_memory(VkPhysicalDevice device, DeviceInfo& info) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  constexpr VkMemoryPropertyFlags both = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  for (uint32_t index = 0; index < memory.memoryHeapCount; ++index)
    if (memory.memoryHeaps[index].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      info.memory_bytes = std::max(info.memory_bytes, size_t(memory.memoryHeaps[index].size));
  for (uint32_t index = 0; index < memory.memoryTypeCount; ++index) {
    const VkMemoryType& type = memory.memoryTypes[index];
    if ((type.propertyFlags & both) == both && memory.memoryHeaps[type.heapIndex].size > (size_t(256) << 20))
      info.has_host_visible_memory = true;
  }
}

// Returns whether there is a compute queue family.
static bool describe_queues(VkPhysicalDevice device, DeviceInfo& info) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (const VkQueueFamilyProperties& family : families)
    if (family.queueFlags & VK_QUEUE_COMPUTE_BIT) {
      info.has_timestamps = family.timestampValidBits > 0;
      return true;
    }
  return false;
}

// Whether linear images can be all that optimal ones are for passes. On GPUs they are slow.
static bool can_have_image_buffers(VkPhysicalDevice device, const VkPhysicalDeviceProperties& properties) {
  if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU || is_asked_for("GPUPOST_PLAIN_IMAGES")) return false;
  constexpr VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM,      VK_FORMAT_R16G16B16A16_SFLOAT,
                                  VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32_SFLOAT,
                                  VK_FORMAT_R32_SFLOAT,          VK_FORMAT_B10G11R11_UFLOAT_PACK32};
  for (const VkFormat format : formats) {
    VkFormatProperties of_format;
    vkGetPhysicalDeviceFormatProperties(device, format, &of_format);
    if (of_format.linearTilingFeatures != of_format.optimalTilingFeatures) return false;
    VkImageFormatProperties limits{}, optimal_limits{};
    constexpr VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const auto limits_of = [&](VkImageTiling tiling, VkImageFormatProperties& found) {
      return vkGetPhysicalDeviceImageFormatProperties(device, format, VK_IMAGE_TYPE_2D, tiling, usage,
                                                      VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, &found);
    };
    if (limits_of(VK_IMAGE_TILING_LINEAR, limits) != limits_of(VK_IMAGE_TILING_OPTIMAL, optimal_limits) ||
        limits.maxMipLevels != optimal_limits.maxMipLevels || limits.maxExtent.width != optimal_limits.maxExtent.width)
      return false;
  }
  return true;
}

DeviceInfo describe(VkPhysicalDevice device, int index) {
  VkPhysicalDeviceVulkan12Properties properties12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceVulkan11Properties properties11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                                  .pNext = &properties12};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &properties11};
  VkPhysicalDeviceVulkan12Features features12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features12};
  vkGetPhysicalDeviceProperties2(device, &properties);
  vkGetPhysicalDeviceFeatures2(device, &features);

  const VkPhysicalDeviceProperties& core = properties.properties;
  const VkPhysicalDeviceLimits& limits = core.limits;
  // kernels use subgroup ids and exchange within full subgroups
  const bool has_full_subgroups = subgroup_features(device).computeFullSubgroups == VK_TRUE;
  const auto has_subgroup = [&](VkSubgroupFeatureFlagBits operations) {
    return has_full_subgroups && (properties11.subgroupSupportedOperations & operations) &&
           features12.shaderSubgroupExtendedTypes &&
           (properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
  };
  VkFormatProperties float_format, packed_format;
  vkGetPhysicalDeviceFormatProperties(device, VK_FORMAT_R32G32B32A32_SFLOAT, &float_format);
  vkGetPhysicalDeviceFormatProperties(device, VK_FORMAT_B10G11R11_UFLOAT_PACK32, &packed_format);
  DeviceInfo info{
      .index = index,
      .traits = {.name = core.deviceName,
                 .type = type_of(core.deviceType),
                 .max_image_side = int(limits.maxImageDimension2D),
                 .memory = {.allocation_bytes = size_t(properties11.maxMemoryAllocationSize),
                            .storage_bytes = limits.maxStorageBufferRange},
                 .max_group_invocations =
                     int(std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0])),
                 .max_storage_images = int(std::min<uint32_t>(
                     std::min(limits.maxPerStageDescriptorStorageImages, limits.maxDescriptorSetStorageImages),
                     1 << 20)),
                 .shared_bytes = int(limits.maxComputeSharedMemorySize),
                 .subgroup = {.size = int(properties11.subgroupSize),
                              .has_quad = has_subgroup(VK_SUBGROUP_FEATURE_QUAD_BIT),
                              .has_shuffle = has_subgroup(VK_SUBGROUP_FEATURE_SHUFFLE_BIT),
                              .has_reductions = has_subgroup(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) &&
                                                has_subgroup(VK_SUBGROUP_FEATURE_VOTE_BIT)},
                 .half = {.has_arithmetic = features12.shaderFloat16 == VK_TRUE,
                          // AMD by all drivers; Qualcomm by Mesa's
                          .packs_toward_zero = core.vendorID == 0x1002 || core.vendorID == 0x5143},
                 .filters_f32 =
                     (float_format.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0,
                 .has_packed_floats = (packed_format.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) != 0,
                 // with the Vulkan memory model enabled, ordinary atomics would need device scope
                 .has_memory_model =
                     features12.vulkanMemoryModel == VK_TRUE && features12.vulkanMemoryModelDeviceScope == VK_TRUE},
  };
  info.traits.has_image_buffers =
      features.features.shaderStorageImageExtendedFormats == VK_TRUE && can_have_image_buffers(device, core);
  info.max_allocations = int(std::min<uint32_t>(limits.maxMemoryAllocationCount, 1 << 20));
  // assigned separately, because g++ 12 destroys the first initializer twice if a later one throws; see test_robustness
  info.uuid = hexadecimal(properties11.deviceUUID);
  info.driver = fmt::format("{} {}", properties12.driverName, properties12.driverInfo);
  info.driver_uuid = hexadecimal(properties11.driverUUID);
  info.api_version = fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(core.apiVersion),
                                 VK_API_VERSION_MINOR(core.apiVersion), VK_API_VERSION_PATCH(core.apiVersion));
  describe_memory(device, info);
  // a CPU device shares the host's memory; other programs use part of a GPU's memory
  if (info.traits.type != DeviceType::cpu) info.traits.memory.total_bytes = info.memory_bytes / 10 * 9;
  if (!describe_queues(device, info)) info.obstacle = "it has no compute queue";
  else if (core.apiVersion < VK_API_VERSION_1_2)
    info.obstacle = fmt::format("it supports Vulkan {}; 1.2 is needed", info.api_version);
  else if (info.traits.max_group_invocations < 256)
    info.obstacle =
        fmt::format("its workgroups have at most {} threads; 256 are needed", info.traits.max_group_invocations);
  else if (!features.features.shaderStorageImageWriteWithoutFormat)
    info.obstacle = "it lacks shaderStorageImageWriteWithoutFormat";
  return info;
}

}  // namespace gpupost
