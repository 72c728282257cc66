// Which build this is.
#pragma once

#include <string_view>

namespace gpupost {

std::string_view version_number();  // "0.1.0"
std::string_view commit_name();     // of the sources, as git describes it; "" where that is not known

}  // namespace gpupost
