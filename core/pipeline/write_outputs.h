// What a job has made, written: one file, or a file a level.
#pragma once

#include "core/pipeline/process_image.h"
#include "core/pipeline/report.h"

#include <vector>

namespace gpupost {

// The pictures of one output, whose names go to the report. Throws Error(Exit::output) where a file cannot be written.
void write_outputs(const ConversionPlan& way, const ChainRequest& request, const std::vector<ProcessedImage>& parts,
                   JobReport& report);

}  // namespace gpupost
