// Mip levels for numbers that must not be mixed: ids, masks of bits.
#pragma once

#include "core/picture.h"

namespace gpupost {

// Adds levels to a uint group until it has `level_count`: each texel is the nearest one of the level above.
void add_nearest_levels(Group& group, int level_count);

}  // namespace gpupost
