// How the pictures of a job are treated, from what was asked for and what its first one is.
#pragma once

#include "cli/jobs/outputs.h"

namespace gpupost {

struct Way {
  Job job;
  Depth came_in = Depth::half, storage = Depth::half, goes_out = Depth::half;  // of the colour
  Transfer transfer = Transfer::linear;                                        // of the output's colour
};

// Throws Error(Exit::usage) where that cannot be done with such pictures.
Way way_of(const Request& request, const Job& given, const Picture& first);

}  // namespace gpupost
