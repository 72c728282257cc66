// The passes of `bleed`, which `mips` also uses.
#pragma once

#include "core/plan/builder.h"

namespace gpupost {

// Appends the passes that fill a level, except the last one. Returns that one; the caller sets its target.
PassSpec plan_bled_level(PlanBuilder& builder, LevelRef source);

}  // namespace gpupost
