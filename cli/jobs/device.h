// The device that a request goes to, and what it may be asked for at once.
#pragma once

#include "cli/options/global_options.h"
#include "core/engine/run_chain.h"

namespace gpupost {

// The best there is, or what --device says, as one that takes no larger pictures than --tile-side says. Throws
// Error(Exit::device) where there is none.
DeviceInfo device_for(const Globals& globals);
// What a plan needs to know of it; where there is no Vulkan, and none was asked for, what every device has.
DeviceTraits traits_for(const Globals& globals);

// How long such a device may work at once.
ChainOptions chain_options(const Globals& globals, const DeviceTraits& traits);

}  // namespace gpupost
