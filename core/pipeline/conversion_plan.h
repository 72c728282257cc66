// How the pictures of a job are treated, from what was asked for and what its first one is.
#pragma once

#include "core/pipeline/job.h"
#include "core/pipeline/settings.h"

namespace gpupost {

struct ConversionPlan {
  Job job;
  Depth input_depth = Depth::half, storage = Depth::half, output_depth = Depth::half;  // of the color
  Transfer transfer = Transfer::linear;                                                // of the output's color
};

// Throws Error(Exit::usage) where that cannot be done with such pictures.
ConversionPlan conversion_plan_of(const ChainRequest& request, const Job& given, const Picture& first);

}  // namespace gpupost
