// The rows, a file each in this folder.
#pragma once

#include "core/op.h"

namespace gpupost {

extern const Op mips_op;

}  // namespace gpupost
