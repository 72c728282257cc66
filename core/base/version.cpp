#include "core/base/version.h"

namespace gpupost {

std::string_view version_number() { return GPUPOST_VERSION; }
std::string_view commit_name() { return GPUPOST_COMMIT; }

}  // namespace gpupost
