// The passes of the mip chain: by area means, by filters, and those of --coverage.
#pragma once

#include "core/plan/builder.h"

namespace gpupost {

// Appends the passes that make the levels of the current image, or of a tile of one level. Throws Error(Exit::usage) where
// the device cannot do what was asked for.
void plan_mips(const Call& call, PlanBuilder& builder);

}  // namespace gpupost
