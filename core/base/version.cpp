#include "core/base/version.h"

#include "core/base/text.h"

namespace gpupost {

std::string_view version_number() { return GPUPOST_VERSION; }
std::string_view commit_name() { return GPUPOST_COMMIT; }

std::vector<LibraryVersion> library_versions() {
  std::vector<LibraryVersion> libraries;
  for (const std::string_view entry : split_at_commas(GPUPOST_LIBRARY_VERSIONS)) {  // "fmt 9.1.0,zlib 1.2.13"
    const size_t space = entry.find(' ');
    libraries.push_back({entry.substr(0, space), entry.substr(space + 1)});
  }
  return libraries;
}

}  // namespace gpupost
