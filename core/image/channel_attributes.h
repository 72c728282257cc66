#pragma once

#include "core/image/picture.h"

namespace gpupost {

// Removes attributes about channels that the image had and no longer has: multiView if a view lost its last one, and those of a
// Cryptomatte that lost any of its ranks. `before`: names of the channels that the image had.
void remove_attributes_of_lost_channels(const std::vector<std::string>& before, Picture& picture);

}  // namespace gpupost
