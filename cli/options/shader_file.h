// Reads GLSL files of users.
#pragma once

#include <string>

namespace gpupost {

// Reads a regular file of at most 64 KiB. Throws Error(Exit::input).
std::string source_of(const std::string& path, size_t most_bytes);

}  // namespace gpupost
