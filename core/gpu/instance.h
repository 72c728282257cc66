// The Vulkan instance and the devices it lists.
#pragma once

#include "core/gpu/gpu.h"
#include "core/gpu/vulkan.h"

#include <vector>

namespace gpupost {

// The one instance of the process, made at the first call. Throws Error(Exit::device) when there is no Vulkan.
VkInstance instance();

// Messages of the validation layer so far; always 0 unless GPUPOST_VALIDATE=1 turned it on.
int validation_message_count();

// Physical devices in the order of list_devices().
std::vector<VkPhysicalDevice> physical_devices();
DeviceInfo describe(VkPhysicalDevice device, int index);

bool has_device_extension(VkPhysicalDevice device, const char* name);

}  // namespace gpupost
