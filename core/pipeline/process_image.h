// A chain on all channels of a picture.
#pragma once

#include "core/pipeline/conversion_plan.h"
#include "core/pipeline/device_session.h"
#include "core/pipeline/report.h"

#include <optional>

namespace gpupost {

// A picture on its way to the output, and its level 0 as it was read where that is written.
struct ProcessedImage {
  Picture picture;
  std::optional<Picture> base;
};

// The picture as the output is to have it. Throws Error(Exit::usage) where the chain cannot be done on such a picture.
ProcessedImage process_image(const ChainRequest& request, DeviceSession& gpu, const ConversionPlan& way, Picture read,
                             JobReport& report);

}  // namespace gpupost
