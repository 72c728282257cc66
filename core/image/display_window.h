// The part of a picture that is to be seen.
#pragma once

#include "core/image/picture.h"

namespace gpupost {

// Makes the data window the display window: texels outside are dropped, missing ones are transparent black. Returns whether
// anything changed. The picture has level 0 alone. `most`: texels that the window may have; more is Error(Exit::input).
bool fit_to_display(Picture& picture, uint64_t most);

}  // namespace gpupost
