// The two passes that make a mip chain where its sides become odd.
#pragma once

#include "core/ops/mips/single_pass.h"

namespace gpupost {

// Returns whether two passes make the chain faster than a single one. There, blocks of odd levels would start after their
// tiles, and the last workgroup after the blocks. Where five levels halve evenly, the single pass is faster.
bool suits_two_passes(Size base, const MipsSinglePass& single, const DeviceTraits& traits);

// Tiles make the first levels, one workgroup the rest.
void plan_two_passes(PlanBuilder& builder, int image, const MipsSinglePass& single);

}  // namespace gpupost
