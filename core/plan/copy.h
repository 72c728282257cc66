// The pass that copies an image.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Copies image 0 to image 1, with the workgroup shape that is fastest on the device. `texels` is 4 or 1 for each thread (of
// large images on a GPU, 8 for 4): compilers repeat the point ops of a pass for each texel of a thread, so 1 compiles faster.
PassSpec copy_pass(Size size, DeviceType device, int texels = 4);

}  // namespace gpupost
