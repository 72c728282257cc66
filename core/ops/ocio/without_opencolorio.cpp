// In the place of answer_opencolorio.cpp where the library was not there when gpupost was built.
#include "core/ops/ocio/answer.h"

namespace gpupost {

std::string_view ocio_version() { return ""; }

OcioReply ocio_answer(OcioRequest) {
  fail(Exit::usage, "gpupost was built without OpenColorIO (install libopencolorio-dev and build again)");
}

}  // namespace gpupost
