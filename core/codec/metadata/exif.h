// Reads Exif data.
#pragma once

#include "core/codec/common/bytes.h"

#include <utility>

namespace gpupost {

// Orientation, 1 to 8 (TIFF 6.0, tag Orientation); 1 if missing. `tiff`: Exif data, which begins with a TIFF header.
int orientation_in(Bytes tiff);

// Most programs write a resolution of up to 96 dots per inch without being asked. 0.5 more allows for the rounding of files.
inline constexpr double max_usual_dots_per_inch = 96.5;

// Returns whether the data says more than the orientation and what every camera file needs: versions, sizes, the color
// space, and a resolution of up to max_usual_dots_per_inch. Damaged data says nothing.
bool has_more_than_orientation(Bytes tiff);

// Pixels per unit of length, along x and y. Numbers that are missing or damaged are 0.
std::pair<double, double> resolution_in(Bytes tiff);

}  // namespace gpupost
