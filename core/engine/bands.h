// Runs a stage in bands: rows of the whole width, from the top, each stored over the rows of the input that it is made of.
#pragma once

#include "core/engine/run_stage.h"

namespace gpupost {

// Runs a stage of can_run_in_bands() on `image`, which becomes the result. Lowers `bounds` if memory runs out. If an error is thrown, the image is neither
// the input nor the result.
void run_bands(Gpu& gpu, const Stage& stage, const PlanInput& input, Level& image, Bounds& bounds, RunTotals& totals);

}  // namespace gpupost
