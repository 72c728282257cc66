// One picture's way: decode, upload, passes, download, encode, write.
#pragma once

#include "cli/options/command_line.h"
#include "core/base/error.h"

namespace gpupost {

// Does what was asked; the exit code. Throws Error for what concerns the whole request.
Exit run(const Request& request);

}  // namespace gpupost
