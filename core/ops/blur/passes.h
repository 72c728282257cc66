// The passes of blurs, and which of the methods does a call.
#pragma once

#include "core/plan/builder.h"

namespace gpupost {

// Throws Error(Exit::usage) where options are given that mean nothing together.
void check_blur(const Call& call);
// The call with --method separable.
Call separable(const Call& call);
// Appends the passes of a blur.
void plan_blur(const Call& call, PlanBuilder& builder);

}  // namespace gpupost
