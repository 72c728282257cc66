// Adds bounds checks to the text of a pass. It needs no device.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gpupost {

// Counted accesses, one 32-bit word each: "images that it reads".
std::span<const std::string_view> names_in_bounds();

// Adds checks to every buffer index in `text`, which is the text of a kernel.
std::string with_checked_indices(std::string text);

// Declarations that the checks need.
std::string bounds_declarations();

}  // namespace gpupost
