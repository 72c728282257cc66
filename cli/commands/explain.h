// The plan of a request without running it.
#pragma once

#include "cli/options/command_line.h"
#include "core/pipeline/apply_to.h"
#include "core/plan/plan.h"

namespace gpupost {

// What one group of channels goes through together.
struct ExplainedStep {
  Step step;
  Plan plan;  // empty where the step is by nearest, which needs no device
};

struct ExplainedGroup {
  std::vector<std::string> channels;  // empty for the color
  std::vector<ExplainedStep> steps;
};

struct Explained {
  DeviceTraits traits;
  std::vector<ExplainedGroup> groups;  // the color first where there is one
};

// The plans for the request's first input, or for the color of --size, or of 1920x1080. For the device that would be taken;
// where there is no Vulkan, for what every device has.
Explained plans_of(const Request& request);

// What `--explain` prints.
std::string explain(const Request& request);

}  // namespace gpupost
