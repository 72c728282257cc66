// Checks of where a pass reads and writes, put into its text. Pure: needs no device.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpupost {

// What is counted of a pass, each in a word of its own: "images that it reads".
std::span<const std::string_view> names_in_bounds();

// `text`, a kernel's, with every index into the buffers of passes checked.
std::string with_checked_indices(std::string text);

// What the checks need to have been declared before them.
std::string bounds_declarations();

}  // namespace gpupost
