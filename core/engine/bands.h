// Runs a stage in bands: groups of rows of the full width, from the top. Each band of the result overwrites the same rows of the
// input.
#pragma once

#include "core/engine/run_stage.h"

namespace gpupost {

// Runs the stage on `image` and leaves the result there. Requires can_run_in_bands(). Lowers `bounds` if memory runs out. Returns
// whether it did; if not, the bands are too large for the device, and `image` is as it was. After an error, `image` holds neither
// the input nor the result.
bool run_bands(Gpu& gpu, const Stage& stage, const PlanInput& input, Level& image, Bounds& bounds, RunTotals& totals);

}  // namespace gpupost
