// Reads Exif data.
#pragma once

#include "core/codec/common/bytes.h"

namespace gpupost {

// Orientation, 1 to 8 (TIFF 6.0, tag Orientation); 1 if missing. `tiff`: Exif data, which begins with a TIFF header.
int orientation_in(Bytes tiff);

}  // namespace gpupost
