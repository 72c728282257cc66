// The device of a request, and its limits.
#pragma once

#include "core/engine/run_chain.h"
#include "core/pipeline/settings.h"

namespace gpupost {

// The device of --device, or the best one, with the limit of --tile-side. Throws Error(Exit::device) if there is none.
DeviceInfo device_for(const DeviceSettings& settings);
// Properties of the device for planning. Without Vulkan and without --device: those of every Vulkan device.
DeviceTraits traits_for(const DeviceSettings& settings);

// Time limits for a submission on this device.
ChainOptions chain_options(const DeviceSettings& settings, const DeviceTraits& traits);

}  // namespace gpupost
