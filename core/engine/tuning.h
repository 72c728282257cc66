// Stores the fastest variants that `gpupost tune` found, in the cache folder, for each device, driver and build.
#pragma once

#include "core/gpu/gpu.h"

#include <string_view>
#include <vector>

namespace gpupost {

// All devices of list_devices(), each with its stored variants.
std::vector<DeviceInfo> list_tuned_devices();

// Empty if nothing is stored, or if this build did not write the file.
std::vector<Tuned> read_tuning(const DeviceInfo& device);
// Throws Error(Exit::output) if no results can be stored.
void check_can_keep_tuning();
// Throws Error(Exit::output) if the file cannot be written.
void keep_tuning(const DeviceInfo& device, const std::vector<Tuned>& tuned);
// Parses a text, for tests.
void keep_tuning_text(const DeviceInfo& device, std::string_view text);
// Returns whether something was stored.
bool forget_tuning(const DeviceInfo& device);

}  // namespace gpupost
