#pragma once

#include "core/image/picture.h"

#include <functional>

namespace gpupost {

// Splits the groups other than color, so that `belongs` is true for all channels of a group or for none.
void split_groups(Picture& picture, const std::function<bool(const Channel&)>& belongs);

}  // namespace gpupost
