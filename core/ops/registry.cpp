#include "core/ops/registry.h"

#include "core/ops/bloom/row.h"
#include "core/ops/blur/row.h"
#include "core/ops/brightpass/row.h"
#include "core/ops/channels/row.h"
#include "core/ops/dof/row.h"
#include "core/ops/localgamma/row.h"
#include "core/ops/luminance/row.h"
#include "core/ops/lut/row.h"
#include "core/ops/mips/row.h"
#include "core/ops/ocio/row.h"
#include "core/ops/resize/row.h"
#include "core/ops/small/row.h"
#include "core/ops/stats/row.h"
#include "core/ops/tonemap/row.h"
#include "core/ops/user_point/row.h"

namespace gpupost {

std::span<const Op* const> all_ops() {
  // The order is the order of help and documents.
  // clang-format off
  static const Op* const ops[] = {
      &bloom_op,
      &blur_op,
      &brightpass_op,
      &channels_op,
      &clamp_op,
      &contrast_op,
      &crop_op,
      &dof_op,
      &exposure_op,
      &flip_op,
      &gain_op,
      &gamma_op,
      &localgamma_op,
      &luminance_op,
      &lut_op,
      &matrix_op,
      &mips_op,
      &nan_op,
      &ocio_op,
      &offset_op,
      &users_point_op,
      &resize_op,
      &saturation_op,
      &stats_op,
      &tonemap_op,
  };
  // clang-format on
  return ops;
}

const Op* op_named(std::string_view name) {
  for (const Op* op : all_ops())
    if (op->name == name) return op;
  return nullptr;
}

}  // namespace gpupost
