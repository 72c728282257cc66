// FLIP, a measure of how much a viewer notices when one image replaces another. For `gpupost compare`.
#pragma once

#include "core/image/picture.h"

#include <vector>

namespace gpupost {

// FLIP of two images.
struct FlipErrors {
  Size size;
  std::vector<float> map;  // the error of each texel, row by row: 0 if it is not visible, at most 1
  double mean = 0;
  double maximum = 0;
  Position worst;  // position of the maximum, the first of several
};

// Whether an image has color that is not uint, which FLIP needs.
bool has_flip_color(const Picture& picture);

// FLIP of level 0 of two images of the same size whose color is linear, premultiplied 32-bit float. They count as they are
// shown: over black, in Rec. 709, clamped to 0..1, with 0 in the place of NaN. The error is 1 where only one image has NaN.
FlipErrors flip_errors(const Picture& a, const Picture& b);

// The map times `scale` as a gray image of floats, with the windows of `image`.
Picture picture_of_flip(const FlipErrors& errors, const Picture& image, double scale);

}  // namespace gpupost
