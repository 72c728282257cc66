// Where the paths of outputs lead.
#pragma once

#include <optional>
#include <string>

namespace gpupost {

// The number of the descriptor of this process that a path stands for, if it does: of "-", /dev/stdout, /dev/fd/3. Such an
// output is written on to, and never replaced.
std::optional<int> own_descriptor(const std::string& path);

// Throws Error(Exit::output), which names it as the path, where nothing can be written to such a descriptor.
void check_can_be_written(int descriptor, const std::string& path);

}  // namespace gpupost
