// A pass that goes from texel to texel.
#pragma once

#include "core/plan.h"

namespace gpupost {

// Image 0 to image 1, texel for texel.
Pass copy_pass(Size size);

}  // namespace gpupost
