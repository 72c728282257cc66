// What Exif says of a picture beside its texels, wherever it stands.
#pragma once

#include "core/codec/common/bytes.h"

namespace gpupost {

// Which sides of the scene the first row and the first column are: 1 to 8, and 1 where nothing is said. TIFF 6.0, tag
// Orientation. `tiff`: from the header of TIFF on, in which Exif is written.
int orientation_in(Bytes tiff);

}  // namespace gpupost
