// Reuse of images in a plan.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Merges images of the same kind whose uses do not overlap, so that a chain of any length needs two images. An image is
// in use from its first to its last pass. Images that the host fills are in use from the start, the result until the
// end. The target of a pass in place is its source, unless another pass still needs that.
void share_images(Plan& plan, const PlanInput& input);

}  // namespace gpupost
