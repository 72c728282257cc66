// The fastest variants that `tune` has found, kept in the cache folder for each device, driver and build.
#pragma once

#include "core/gpu/gpu.h"

#include <string_view>
#include <vector>

namespace gpupost {

// All devices, as list_devices() has them, each with the variants that `tune` has kept for it.
std::vector<DeviceInfo> list_tuned_devices();

// Empty where nothing is kept, or what is kept is not all of it as this build would write it.
std::vector<Tuned> read_tuning(const DeviceInfo& device);
// Throws Error(Exit::output) where it cannot be kept.
void keep_tuning(const DeviceInfo& device, const std::vector<Tuned>& tuned);
// The same of any text, for tests.
void keep_tuning_text(const DeviceInfo& device, std::string_view text);
// Was there anything?
bool forget_tuning(const DeviceInfo& device);

}  // namespace gpupost
