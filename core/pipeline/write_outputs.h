// Writes the results of a job: one file, or one file per level.
#pragma once

#include "core/pipeline/block_device.h"
#include "core/pipeline/process_image.h"
#include "core/pipeline/report.h"

#include <vector>

namespace gpupost {

// Options of the encoder for an output whose first image is `first`.
EncodeOptions encode_options(const ConversionPlan& way, const ChainRequest& request, const Picture& first);

// Writes the images of one output; file names go to the report. Throws Error(Exit::output) if a file cannot be written.
void write_outputs(const ConversionPlan& way, const ChainRequest& request, BlockDevice& blocks,
                   const std::vector<ProcessedImage>& parts, JobReport& report);

}  // namespace gpupost
