#pragma once

#include "core/plan/plan.h"

#include <span>
#include <string>

namespace gpupost {

// The text that `--explain` prints.
std::string explain(const Plan& plan, std::span<const Call> calls);

}  // namespace gpupost
