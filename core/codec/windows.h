// The windows of an EXR's levels: one rule for reading a level of a file and for writing a level alone.
#pragma once

#include "core/picture.h"

namespace gpupost {

// Those of the level `level`, which has `size` texels: both corners divided by 2^level, rounded down, so that the picture
// stays where it is against its display window.
Windows windows_at_level(const Windows& base, int level, Size size);

}  // namespace gpupost
