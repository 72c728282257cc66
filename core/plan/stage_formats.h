// How images between the stages of a tiled chain are stored, so that tiles round as the whole image does.
#pragma once

#include "core/plan/tiling.h"

#include <span>
#include <vector>

namespace gpupost {

struct StoredFormat {
  Space space = Space::rgb;
  bool is_packed = false;  // rounded to B10G11R11
  bool operator==(const StoredFormat&) const = default;
};

struct StageFormats {
  StoredFormat begin, end;  // of the stage's input and of its result
};

// Returns the formats of each stage.
std::vector<StageFormats> formats_of(std::span<const Stage> stages, const PlanInput& input, const DeviceTraits& traits);

// Returns whether the planner fuses the first point op of `next` into the pass that makes the result of the stage before it.
bool fuses_across(const Stage& next, const PlanInput& input);

}  // namespace gpupost
