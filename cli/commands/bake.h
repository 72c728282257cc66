// `--bake N`: writes a chain of point ops as a table, for other programs too.
#pragma once

#include "cli/options/command_line.h"

namespace gpupost {

// Writes the .cube file of -o. Throws Error(Exit::usage) if a table cannot represent the chain.
Exit bake(const Request& request);

}  // namespace gpupost
