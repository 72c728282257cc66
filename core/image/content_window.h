// Finds the part of an image that shows something. The pipeline crops inputs to it for `crop --to content`.
#pragma once

#include "core/image/picture.h"

#include <optional>

namespace gpupost {

// Returns the smallest window that holds every texel with content, in the coordinates of the data window. Empty if no texel
// has content, or the image has no color. A texel with alpha has content if its alpha is not 0 or, if color is premultiplied,
// its R, G or B is not 0, because that is light. Other texels have content if R, G or B is not 0. NaN is content.
// `alpha_is_data`: alpha is no opacity, so that R, G, B and A count alike. The image must have only level 0.
std::optional<Window> content_window(const Picture& picture, bool alpha_is_data);

}  // namespace gpupost
