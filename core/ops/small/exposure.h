// Exposures of a series of images, which `exposure` takes from measurements of all of them.
#pragma once

#include "core/ops/stats/reference.h"

namespace gpupost {

// Returns whether `call` is an `exposure` that depends on other images: --auto-from, or --auto with --smooth. The caller
// of the pipeline must replace such a call, for each image, by exposure_of_stops().
bool needs_series(const Call& call);

// The stops that --auto chooses for an image with these statistics; NaN if no luminance is above 0.
double auto_stops(const Call& call, const Statistics& statistics);

// `exposure --stops`. NaN changes nothing. `stops` may be outside of the range of the option.
Call exposure_of_stops(double stops);

}  // namespace gpupost
