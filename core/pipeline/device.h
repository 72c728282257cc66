// The device that a request goes to, and what it may be asked for at once.
#pragma once

#include "core/engine/run_chain.h"
#include "core/pipeline/settings.h"

namespace gpupost {

// The best there is, or what --device says, as one that takes no larger pictures than --tile-side says. Throws
// Error(Exit::device) where there is none.
DeviceInfo device_for(const DeviceSettings& settings);
// What a plan needs to know of it; where there is no Vulkan, and none was asked for, what every device has.
DeviceTraits traits_for(const DeviceSettings& settings);

// How long such a device may work at once.
ChainOptions chain_options(const DeviceSettings& settings, const DeviceTraits& traits);

}  // namespace gpupost
