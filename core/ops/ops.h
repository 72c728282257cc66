// The registry: every op's row, and how to find one by its name.
#pragma once

#include "core/op.h"

namespace gpupost {

extern const Op bloom_op;
extern const Op blur_op;
extern const Op brightpass_op;
extern const Op channels_op;
extern const Op clamp_op;
extern const Op contrast_op;
extern const Op crop_op;
extern const Op dof_op;
extern const Op exposure_op;
extern const Op flip_op;
extern const Op gain_op;
extern const Op gamma_op;
extern const Op localgamma_op;
extern const Op luminance_op;
extern const Op matrix_op;
extern const Op mips_op;
extern const Op nan_op;
extern const Op offset_op;
extern const Op resize_op;
extern const Op saturation_op;
extern const Op stats_op;
extern const Op tonemap_op;
extern const Op users_point_op;

// All rows, in the order of help and documents.
std::span<const Op* const> all_ops();
// The op of that name; nullptr if there is none.
const Op* op_named(std::string_view name);

}  // namespace gpupost
