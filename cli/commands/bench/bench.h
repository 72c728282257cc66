// The row of `bench`.
#pragma once

#include "cli/options/command_row.h"

namespace gpupost {

extern const Verb bench_verb;

}  // namespace gpupost
