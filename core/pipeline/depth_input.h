// Depth for ops that need it: a channel of the image, or another file.
#pragma once

#include "core/op/op.h"
#include "core/pipeline/report.h"
#include "core/pipeline/settings.h"

#include <vector>

namespace gpupost {

// Sets Call::depth of calls that need it. `frame` replaces {frame} in the names of files. If ops before a call move
// texels, depth moves too and takes the nearest texel. Warnings about a file go to the report. Throws
// Error(Exit::usage) if the channel is missing or its size differs, and Error(Exit::input) if a file cannot be read.
void read_depths(std::vector<Call>& calls, const Picture& picture, std::string_view frame,
                 const InputSettings& settings, JobReport& report);

}  // namespace gpupost
