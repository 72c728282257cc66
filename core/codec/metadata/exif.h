// Reads Exif data.
#pragma once

#include "core/codec/common/bytes.h"

namespace gpupost {

// Orientation, 1 to 8 (TIFF 6.0, tag Orientation); 1 if missing. `tiff`: Exif data, which begins with a TIFF header.
int orientation_in(Bytes tiff);

// Returns whether the data says more than the orientation and what every camera file needs: versions, sizes, the color
// space, and a resolution of up to 72 dots per unit. Damaged data says nothing.
bool has_more_than_orientation(Bytes tiff);

}  // namespace gpupost
