// `--bake N`: a chain of point ops as a table for other programs.
#pragma once

#include "cli/options/command_line.h"

namespace gpupost {

// Writes the .cube file of -o. Throws Error(Exit::usage) where a table cannot hold what the chain does.
Exit bake(const Request& request);

}  // namespace gpupost
