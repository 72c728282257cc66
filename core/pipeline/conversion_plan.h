// Depths and transfer of a job's images, chosen from the settings and its first image.
#pragma once

#include "core/pipeline/job.h"
#include "core/pipeline/settings.h"

namespace gpupost {

struct ConversionPlan {
  Job job;
  Depth file_depth = Depth::half;  // of the color in the file: integers, even if an ICC profile made its texels floats
  Depth input_depth = Depth::half, storage = Depth::half, output_depth = Depth::half;  // depths of the color
  Transfer transfer = Transfer::linear;                                                // transfer of the output's color
  bool is_tagged = true;  // the output records its transfer and primaries
};

// Adapts a job to the levels that the chain makes of its first image. `calls`: with the windows of that image.
Job job_for_levels(std::span<const Call> calls, const Job& given, const Picture& first);

// The plan for such images, without a look at the output's file. Throws Error(Exit::usage) if the settings do not fit them.
ConversionPlan planned_conversion(const ChainRequest& request, const Job& given, const Picture& first);

// The same, with the folder of the output, if it is to be made. Throws Error also if the output cannot be written.
ConversionPlan conversion_plan_of(const ChainRequest& request, const Job& given, const Picture& first);

}  // namespace gpupost
