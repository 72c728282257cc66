// Windows of EXR levels, for reading a level and for writing a single level.
#pragma once

#include "core/image/picture.h"

namespace gpupost {

// Windows of level `level`, whose data window has `size` texels. The display window becomes its own mip level; the data
// window begins at the texel that contains its corner.
Windows windows_at_level(const Windows& base, int level, Size size);

// Texels of a level of the frame that contain the data window, rounded outward.
Window data_window_at_level(const Windows& base, int level);

// Enlarges the data window to whole texels of this many levels of the frame. Returns it unchanged if a device could not
// hold the result.
Window window_for_levels(const Windows& base, int level_count);

// Enlarges level 0 of a group from window `from` to `to` by repeating border texels.
void enlarge(Group& group, const Window& from, const Window& to);
// Crops the levels of an image that was enlarged to `enlarged` back to the data window.
void crop_levels(Group& group, const Windows& base, const Window& enlarged);

}  // namespace gpupost
