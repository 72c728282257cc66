// The rows of small ops.
#pragma once

#include "core/op/op.h"

namespace gpupost {

extern const Op clamp_op;
extern const Op contrast_op;
extern const Op crop_op;
extern const Op exposure_op;
extern const Op flip_op;
extern const Op gain_op;
extern const Op gamma_op;
extern const Op invert_op;
extern const Op matrix_op;
extern const Op nan_op;
extern const Op offset_op;
extern const Op pad_op;
extern const Op premultiply_op;
extern const Op rotate_op;
extern const Op saturation_op;
extern const Op sheet_op;
extern const Op shift_op;
extern const Op threshold_op;
extern const Op transpose_op;
extern const Op unpremultiply_op;
extern const Op white_balance_op;

// Color around the image of `pad` and `sheet`, premultiplied unless alpha is data.
Color canvas_color(const Call& call);

}  // namespace gpupost
