// The plan of a request without running it.
#pragma once

#include "cli/request.h"
#include "core/plan.h"

namespace gpupost {

struct Explained {
  Plan plan;
  DeviceTraits traits;
};

// The plan for the request's first input, or for --size, or for 1920x1080. For the device that would be taken; where there
// is no Vulkan, for what every device has.
Explained plan_of(const Request& request);

// What `--explain` prints.
std::string explain(const Request& request);

}  // namespace gpupost
