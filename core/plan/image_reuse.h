// Reuse of images in a plan.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Merges images of the same kind whose uses do not overlap, so that a chain of any length needs two images. An image is
// in use from its first to its last pass. Images that the host fills are in use from the start, the result until the
// end. With `keeps_input`, no pass overwrites the input.
void share_images(Plan& plan, bool keeps_input);

}  // namespace gpupost
