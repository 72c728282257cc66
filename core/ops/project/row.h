// The row of `project`.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op project_op;

// Returns whether the call makes an image of the faces of a cube.
bool makes_faces(const Call& call);

}  // namespace gpupost
