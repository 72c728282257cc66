#include "core/base/version.h"

#include <algorithm>

namespace gpupost {

std::string_view version_number() { return GPUPOST_VERSION; }
std::string_view commit_name() { return GPUPOST_COMMIT; }

std::vector<LibraryVersion> library_versions() {
  std::vector<LibraryVersion> libraries;
  for (std::string_view rest = GPUPOST_LIBRARY_VERSIONS; !rest.empty();) {  // "fmt 9.1.0,zlib 1.2.13"
    const std::string_view entry = rest.substr(0, rest.find(','));
    const size_t space = entry.find(' ');
    libraries.push_back({entry.substr(0, space), entry.substr(space + 1)});
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
  }
  return libraries;
}

}  // namespace gpupost
