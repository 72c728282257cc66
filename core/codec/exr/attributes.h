// Whether the value of an EXR attribute has the form that its type prescribes. OpenEXR refuses a file where one has not.
#pragma once

#include "core/codec/common/bytes.h"

#include <string_view>

namespace gpupost {

// Throws Error(Exit::input), which names the attribute. Types that OpenEXR does not know may have any value.
void check_exr_attribute(std::string_view name, std::string_view type, Bytes value);

}  // namespace gpupost
