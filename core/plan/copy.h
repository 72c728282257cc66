// A pass that goes from texel to texel.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Image 0 to image 1, texel for texel, in the shape of workgroups that is the fastest on such a device.
PassSpec copy_pass(Size size, DeviceType device);

}  // namespace gpupost
