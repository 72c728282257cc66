// Checks values of EXR attributes. OpenEXR refuses a file with an invalid value.
#pragma once

#include "core/codec/common/bytes.h"

#include <string_view>

namespace gpupost {

// Throws Error(Exit::input) with the name of the attribute. Types that OpenEXR does not know may have any value.
void check_exr_attribute(std::string_view name, std::string_view type, Bytes value);

}  // namespace gpupost
