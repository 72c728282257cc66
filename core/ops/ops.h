// The rows, a file each in this folder.
#pragma once

#include "core/op.h"

namespace gpupost {

extern const Op blur_op;
extern const Op crop_op;
extern const Op flip_op;
extern const Op mips_op;
extern const Op resize_op;

}  // namespace gpupost
