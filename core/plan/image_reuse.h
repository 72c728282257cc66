// Images that one behind the other can be kept in one.
#pragma once

#include "core/plan/plan.h"

namespace gpupost {

// Gives the images of a plan that are alike, and of which no pass needs two at a time, one place; so that a chain, however
// long, takes two images. An image lives from the first pass that names it to the last one, what the host fills from the
// start, and the result to the end. With `keeps_input` no pass writes over what came in.
void share_images(Plan& plan, bool keeps_input);

}  // namespace gpupost
