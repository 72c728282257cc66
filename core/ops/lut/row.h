// The row of `lut`, which looks colors up in a table.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op lut_op;

// The curve of ACEScct, from light to the numbers that --log-shaper hands to a table, and back.
double log_shaped(double light);
double light_of_log(double number);

}  // namespace gpupost
