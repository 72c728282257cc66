// The files of ops that users have written.
#pragma once

#include <string>

namespace gpupost {

// All of a plain file of at most 64 KiB. Throws Error(Exit::input) where it is none, or cannot be read.
std::string source_of(const std::string& path, size_t most_bytes);

}  // namespace gpupost
