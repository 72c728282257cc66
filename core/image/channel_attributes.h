#pragma once

#include "core/image/picture.h"

namespace gpupost {

// Removes attributes about channels that the image no longer has: multiView if a view has none, and those of Cryptomattes.
void remove_attributes_of_missing_channels(Picture& picture);

}  // namespace gpupost
