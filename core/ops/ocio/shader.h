// From what the worker says to the text and the tables of a point op.
#pragma once

#include "core/op/op.h"
#include "core/ops/ocio/worker.h"

namespace gpupost {

// `name` is for the compiler's messages. Throws Error(Exit::input) where the text is not that of a function of one texel.
FusedPoint ocio_point(OcioShader shader, const std::string& name);

}  // namespace gpupost
