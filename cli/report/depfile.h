// Dependency files for make and ninja.
#pragma once

#include <span>
#include <string>

namespace gpupost {

// A rule "OUTPUT...: INPUT..." on one line, escaped for make and ninja; "" without an output. Leaves out
// standard input, standard output and other descriptors, which are no files for make. Throws Error(Exit::usage) if a name
// has a newline.
std::string depfile_rule(std::span<const std::string> outputs, std::span<const std::string> inputs);

}  // namespace gpupost
