// What the worker does for its parent, once it is in its sandbox. With OpenColorIO: answer_opencolorio.cpp.
#pragma once

#include "core/ops/ocio/worker.h"

#include <map>

namespace gpupost {

// Named strings: the form of requests and replies.
using OcioFields = std::map<std::string, std::string>;

// Throws Error.
OcioFields ocio_answer(const OcioFields& request);

}  // namespace gpupost
