// Plans of a request, for `--explain`.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/apply_to.h"
#include "core/plan/plan.h"

namespace gpupost {

// One step of a group of channels.
struct ExplainedStep {
  Step step;
  Plan plan;  // empty if the step takes the nearest texel, which needs no device
};

struct ExplainedGroup {
  std::vector<std::string> channels;  // empty for color
  std::vector<ExplainedStep> steps;
  bool is_dropped = false;  // the result does not have these channels
};

struct Explained {
  DeviceTraits traits;
  std::vector<std::string> notes;      // lines about the part of the file that is used, and about faces
  std::vector<ExplainedGroup> groups;  // color first, if there is any
};

// Plans for the first input, or for color with the size of --size, or 1920x1080. They are for the device that would run
// them; without Vulkan, for a device with minimum features.
Explained plans_of(const Request& request);

// The text that `--explain` prints.
std::string explain(const Request& request);

}  // namespace gpupost
