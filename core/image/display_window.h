// Crops or pads an image to its display window, or to another window.
#pragma once

#include "core/image/picture.h"

#include <string_view>

namespace gpupost {

// Returns whether an image with these windows must be cropped or padded to get exactly its display window. `most`: limit for
// the texels of that window; more is Error(Exit::input). `name`: the image in that error.
bool differs_from_display(const Windows& windows, uint64_t most, std::string_view name);

// Gives the image another data window: texels outside are dropped, missing ones are transparent black, or black without alpha. The
// image must have only level 0.
void fit_to_window(Picture& picture, const Window& window);

// The same with the display window. Returns whether anything changed. `most`, `name`: as for differs_from_display().
bool fit_to_display(Picture& picture, uint64_t most, std::string_view name);

}  // namespace gpupost
