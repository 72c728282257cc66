// What an output depends on, for make and ninja.
#pragma once

#include <span>
#include <string>

namespace gpupost {

// A rule "OUTPUT...: INPUT..." in a line, with names escaped as both programs read them; "" without an output.
std::string depfile_rule(std::span<const std::string> outputs, std::span<const std::string> inputs);

}  // namespace gpupost
