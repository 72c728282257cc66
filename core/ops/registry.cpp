#include "core/ops/registry.h"

#include "core/ops/bleed/row.h"
#include "core/ops/blur/row.h"
#include "core/ops/brightpass/row.h"
#include "core/ops/channels/row.h"
#include "core/ops/lut/row.h"
#include "core/ops/mips/row.h"
#include "core/ops/ocio/row.h"
#include "core/ops/prefilter/row.h"
#include "core/ops/project/row.h"
#include "core/ops/rank/row.h"
#include "core/ops/small/row.h"
#include "core/ops/stats/row.h"

#include <utility>

namespace gpupost {

// Rows that only this list names.
extern const Op bilateral_op;
extern const Op bloom_op;
extern const Op convolve_op;
extern const Op denoise_op;
extern const Op dof_op;
extern const Op grade_op;
extern const Op guided_op;
extern const Op localgamma_op;
extern const Op luminance_op;
extern const Op merge_op;
extern const Op pack_op;
extern const Op resize_op;
extern const Op sharpen_op;
extern const Op tonemap_op;
extern const Op users_point_op;
extern const Op warp_op;

std::span<const Op* const> all_ops() {
  // By name. Help and documents keep this order within each group.
  // clang-format off
  static const Op* const ops[] = {
      &bilateral_op,
      &bleed_op,
      &bloom_op,
      &blur_op,
      &brightpass_op,
      &channels_op,
      &clamp_op,
      &contrast_op,
      &convolve_op,
      &crop_op,
      &denoise_op,
      &dilate_op,
      &dof_op,
      &erode_op,
      &exposure_op,
      &flip_op,
      &gain_op,
      &gamma_op,
      &grade_op,
      &guided_op,
      &invert_op,
      &irradiance_op,
      &localgamma_op,
      &luminance_op,
      &lut_op,
      &matrix_op,
      &median_op,
      &merge_op,
      &mips_op,
      &nan_op,
      &ocio_op,
      &offset_op,
      &pack_op,
      &pad_op,
      &users_point_op,
      &prefilter_op,
      &premultiply_op,
      &project_op,
      &resize_op,
      &rotate_op,
      &saturation_op,
      &sharpen_op,
      &sheet_op,
      &shift_op,
      &stats_op,
      &threshold_op,
      &tonemap_op,
      &transpose_op,
      &unpremultiply_op,
      &warp_op,
      &white_balance_op,
  };
  // clang-format on
  return ops;
}

std::vector<TitledGroup> grouped_ops() {
  static constexpr std::pair<OpGroup, std::string_view> titles[] = {
      {OpGroup::size, "Size and position"}, {OpGroup::blur, "Blur and light"},    {OpGroup::filter, "Filter"},
      {OpGroup::combine, "Combine"},        {OpGroup::tone, "Exposure and tone"}, {OpGroup::color, "Color"},
      {OpGroup::channels, "Channels"},      {OpGroup::measure, "Measure"},        {OpGroup::custom, "Your own"},
  };
  std::vector<TitledGroup> groups;
  for (const auto& [group, title] : titles) {
    groups.push_back({title, {}});
    for (const Op* op : all_ops())
      if (op->doc.group == group) groups.back().ops.push_back(op);
  }
  return groups;
}

const Op* op_named(std::string_view name) {
  for (const Op* op : all_ops())
    if (op->name == name) return op;
  return nullptr;
}

}  // namespace gpupost
