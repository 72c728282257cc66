// Passes that filter an environment.
#pragma once

#include "core/ops/prefilter/lobe.h"
#include "core/plan/builder.h"

#include <span>
#include <string>

namespace gpupost {

// Appends the passes that make the pyramid of the current image. Returns an image with all its levels, one below the other.
int plan_corner_pyramid(PlanBuilder& builder);

// Appends the passes that make a row of faces of this size from the pyramid, except for the last one. Returns the last pass;
// the caller sets its target and appends it.
PassSpec plan_filter_passes(PlanBuilder& builder, const std::string& name, int pyramid, const CellLevels& levels,
                            std::span<const LobeSample> samples, Size made);

}  // namespace gpupost
