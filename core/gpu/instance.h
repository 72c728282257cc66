// The Vulkan instance and the devices it lists.
#pragma once

#include "core/gpu/gpu.h"
#include "core/gpu/validation.h"
#include "core/gpu/vulkan.h"

#include <vector>

namespace gpupost {

// The one instance of the process, made at the first call. Throws Error(Exit::device) when there is no Vulkan.
VkInstance instance();

// Did GPUPOST_VALIDATE=1 turn the validation layer on?
bool validation_is_on();

// Physical devices in the order of list_devices().
std::vector<VkPhysicalDevice> physical_devices();
DeviceInfo describe(VkPhysicalDevice device, int index);

bool has_device_extension(VkPhysicalDevice device, const char* name);

}  // namespace gpupost
