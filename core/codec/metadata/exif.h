// What Exif says of a picture beside its texels, wherever it stands.
#pragma once

#include "core/codec/common/bytes.h"

#include <optional>
#include <string>

namespace gpupost {

// That the picture is to be turned or mirrored, which is not done. `tiff`: from the header of TIFF on, in which Exif is written.
std::optional<std::string> ignored_orientation(Bytes tiff);

}  // namespace gpupost
