// Which build this is.
#pragma once

#include <string_view>
#include <vector>

namespace gpupost {

std::string_view version_number();  // "0.1.0"
std::string_view commit_name();     // of the sources, as git describes it; "" where that is not known

struct LibraryVersion {
  std::string_view name, version;  // of the headers that the program was built with
};
std::vector<LibraryVersion> library_versions();

}  // namespace gpupost
