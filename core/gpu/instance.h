// The Vulkan instance and its physical devices.
#pragma once

#include "core/gpu/gpu.h"
#include "core/gpu/validation.h"
#include "core/gpu/vulkan.h"

#include <string>
#include <vector>

namespace gpupost {

// The only instance of the process, created at the first call. Throws Error(Exit::device) if Vulkan is missing.
VkInstance instance();

// For a Vulkan that offers nothing: throws Error(Exit::limit) if the process may open too few files for a driver, else
// Error(Exit::device). `what` begins the message.
[[noreturn]] void fail_without_driver(const std::string& what);

// Returns whether GPUPOST_VALIDATE (1 or "assisted") turned the validation layer on.
bool validation_is_on();
// With "assisted", the layer adds checks to the shaders, which find accesses outside of buffers.
bool validation_is_assisted();

// Returns whether the variable for tests is 1.
bool is_asked_for(const char* variable);

// Physical devices in the order of list_devices().
std::vector<VkPhysicalDevice> physical_devices();
DeviceInfo describe(VkPhysicalDevice device, int index);

// Subgroup size control of the device; all false without VK_EXT_subgroup_size_control.
VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroup_features(VkPhysicalDevice device);

bool has_device_extension(VkPhysicalDevice device, const char* name);

}  // namespace gpupost
