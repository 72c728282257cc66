// Version of this build.
#pragma once

#include <string_view>
#include <vector>

namespace gpupost {

std::string_view version_number();  // "0.1.0"
std::string_view commit_name();     // of the sources, as git describes it; "" where that is not known

struct LibraryVersion {
  std::string_view name, version;  // name and version of a library, from its headers at build time
};
std::vector<LibraryVersion> library_versions();

}  // namespace gpupost
