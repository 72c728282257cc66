// The device of a request, and its limits.
#pragma once

#include "core/engine/run_chain.h"
#include "core/pipeline/settings.h"

#include <vector>

namespace gpupost {

// The devices of --device, or the best one, with the limit of --tile-side. The best is the first. Throws
// Error(Exit::device) if there is none.
std::vector<DeviceInfo> devices_for(const DeviceSettings& settings);
// Properties of the device for planning. Without Vulkan and without --device: those of every Vulkan device.
DeviceTraits traits_for(const DeviceSettings& settings);

// Time limits for a submission on this device.
ChainOptions chain_options(const DeviceSettings& settings, const DeviceTraits& traits);

}  // namespace gpupost
