// The verb `bench`.
#pragma once

#include "cli/options/command_row.h"

namespace gpupost {

extern const CommandRow bench_verb;

}  // namespace gpupost
