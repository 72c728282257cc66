// The Vulkan instance and the devices it lists.
#pragma once

#include "core/gpu/gpu.h"
#include "core/gpu/validation.h"
#include "core/gpu/vulkan.h"

#include <vector>

namespace gpupost {

// The one instance of the process, made at the first call. Throws Error(Exit::device) when there is no Vulkan.
VkInstance instance();

// Did GPUPOST_VALIDATE turn the validation layer on, by 1 or by "assisted"?
bool validation_is_on();
// By the latter the layer puts checks of its own into the shaders, which see accesses behind the end of a buffer.
bool validation_is_assisted();

// Physical devices in the order of list_devices().
std::vector<VkPhysicalDevice> physical_devices();
DeviceInfo describe(VkPhysicalDevice device, int index);

// What the device can promise of subgroups: none of it where it lacks VK_EXT_subgroup_size_control.
VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroup_features(VkPhysicalDevice device);

bool has_device_extension(VkPhysicalDevice device, const char* name);

}  // namespace gpupost
