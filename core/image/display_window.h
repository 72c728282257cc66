// Crops or pads an image to its display window.
#pragma once

#include "core/image/picture.h"

#include <string_view>

namespace gpupost {

// Makes the data window equal to the display window: texels outside are dropped, missing ones are transparent black.
// Returns whether anything changed. The image must have only level 0. `most`: limit for the texels of the window; more
// is Error(Exit::input). `name`: the image in that error.
bool fit_to_display(Picture& picture, uint64_t most, std::string_view name);

}  // namespace gpupost
