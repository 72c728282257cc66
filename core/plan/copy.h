// The pass that copies an image.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Copies image 0 to image 1, with the workgroup shape that is fastest on the device.
PassSpec copy_pass(Size size, DeviceType device);

}  // namespace gpupost
