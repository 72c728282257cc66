// Reuse of images in a plan.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Whether passes may overwrite the input of a plan.
struct InputUse {
  bool keeps_input = false;  // no pass overwrites it
  bool gives_input = false;  // a pass in place may overwrite it
};

// Merges images of the same kind whose uses do not overlap, so that a chain of any length needs two images. An image is
// in use from its first to its last pass. Images that the host fills are in use from the start, the result until the
// end. The target of a pass in place is its source, unless another pass still needs that.
void share_images(Plan& plan, const InputUse& input);

}  // namespace gpupost
