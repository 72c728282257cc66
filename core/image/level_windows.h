// The windows of an EXR's levels: one rule for reading a level of a file and for writing a level alone.
#pragma once

#include "core/image/picture.h"

namespace gpupost {

// Those of the level `level`, whose data window has `size` texels. The frame, the display window, becomes its own level;
// the data window begins at the texel of it that holds its corner.
Windows windows_at_level(const Windows& base, int level, Size size);

// The texels of a level of the frame that hold the data window: rounded outwards.
Window data_window_at_level(const Windows& base, int level);

// The data window made larger, so that it is whole texels of the frame at each of so many levels. The same window where
// that would take more texels than a device can hold.
Window window_for_levels(const Windows& base, int level_count);

// Makes level 0 of a group, which has the window `from`, as large as `to`: it repeats the texels of its border.
void enlarge(Group& group, const Window& from, const Window& to);
// Leaves of the levels of a picture that was enlarged to `enlarged` what holds the data window.
void crop_levels(Group& group, const Windows& base, const Window& enlarged);

}  // namespace gpupost
