// Mip chains: what a call asks for, and their definition in double.
#pragma once

#include "core/reference/filter.h"

#include <vector>

namespace gpupost {

// Value of a texel of an area: over all texels that it covers, at odd sizes three a side. Minimum and maximum make a depth pyramid.
enum class Reduce { mean, minimum, maximum };

// Levels that a call makes of an image of this size. `first`: the level of the chain that has this size, from which the levels are
// counted.
int mip_level_count(const Call& call, Size size, int first = 0);
Normals mips_normals(const Call& call);
Filtering mips_filtering(const Call& call);
// Area means of the level above, the ordinary case, have passes of their own; all else goes through those of filters.
bool makes_area_means(const Call& call);

std::vector<Planes> mip_levels(const Call& call, Planes base);
// Bounds of the errors of a device in these levels, if its `base` has errors up to `error`.
std::vector<Planes> mip_levels_tolerance(const Call& call, const Planes& base, const Planes& error, Depth depth);

}  // namespace gpupost
