// The passes that reduce a picture to luminances, and their variants.
#pragma once

#include "core/plan/builder.h"

#include <string>
#include <vector>

namespace gpupost {

// The words of `luminance --variant` behind auto.
const std::vector<std::string_view>& luminance_variants();

// Appends the passes that make the cells of the call of the current image.
void plan_luminance(const Call& call, PlanBuilder& builder);

}  // namespace gpupost
