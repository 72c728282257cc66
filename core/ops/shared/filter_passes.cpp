#include "core/ops/shared/filter_passes.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/ops/shared/nearest.h"
#include "core/plan/kernel_choices.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

// Texels to each side of the one in the middle that a filter reaches.
int reach_of(Filter filter, const Scale& scale) {
  const double ratio = double(scale.from) / scale.to;
  return filter == Filter::box ? int(std::ceil(ratio / 2 + 0.5))
                               : int(std::ceil(support_of(filter) * std::max(1.0, ratio)));
}

// Sums of the pass that goes along x first, or last.
double cost(const Filtering& filtering, const FilterStep& step, bool x_first) {
  const Scales scales = scales_of(filtering, step.from, step.to);
  const double taps_x = 2.0 * reach_of(filtering.filter, scales.x) + 1;
  const double taps_y = 2.0 * reach_of(filtering.filter, scales.y) + 1;
  const double last = double(texel_count(step.to));
  return x_first ? double(texel_count({step.to.width, step.from.height})) * taps_x + last * taps_y
                 : double(texel_count({step.from.width, step.to.height})) * taps_y + last * taps_x;
}

constexpr int rows_of_group = 4;  // that a workgroup of rows makes

// What one of the two passes of a step reads and writes.
struct AxisPass {
  Axis axis = along_x;
  bool is_first = false;
  Size from, to;  // of the images
};

// A step along one axis: its scale, the sides of the images, and where those begin in the whole pictures.
struct Line {
  Scale scale;
  int source = 0, target = 0;
  int first_source = 0, first_target = 0;
};

Line line_of(const FilterStep& step, const Filtering& filtering, Axis axis) {
  const Scales scales = scales_of(filtering, step.from, step.to);
  if (axis == along_x)
    return {.scale = scales.x,
            .source = step.source.size.width,
            .target = step.target.size.width,
            .first_source = step.source.corner.x,
            .first_target = step.target.corner.x};
  return {.scale = scales.y,
          .source = step.source.size.height,
          .target = step.target.size.height,
          .first_source = step.source.corner.y,
          .first_target = step.target.corner.y};
}

// The whole image in strips; far rows are next to each other where the image repeats.
Strips strips_of(const Line& line, const Filtering& filtering, AxisPass half, int reach) {
  if (half.axis == along_x) return {.grid_axis = 1, .rows = rows_of_group};
  if (half.is_first) return {.grid_axis = 1};
  const bool is_whole = line.first_source == 0 && line.first_target == 0 && line.scale.phase == 0;
  if (!is_whole || filtering.border == Border::repeat) return {};
  return {.grid_axis = 1, .margin = reach + 1, .scale = double(line.scale.from) / line.scale.to};
}

PassSpec pass_of(const PlanBuilder& builder, const FilterStep& step, const Filtering& filtering, AxisPass half) {
  const bool on_x = half.axis == along_x;
  const Line line = line_of(step, filtering, half.axis);
  const int reach = reach_of(filtering.filter, line.scale);
  const int period = filtering.border == Border::mirror ? 2 * line.source : line.source;
  return {
      .name = fmt::format("{} {}", step.name, on_x ? "rows" : "columns"),
      .kernel = "shared/filter.glsl",
      .defines = {{"AXIS", half.axis, axis_names},
                  {"FILTER", int(filtering.filter), filter_names},
                  {"BORDER", int(filtering.border), border_names},
                  {"COMPRESS", filtering.compresses},
                  {"NORMALS", int(filtering.normals), normals_names},
                  {"LIMIT", filtering.limits_ringing},
                  {"IS_FIRST", half.is_first}},
      .values = {{"width", half.to.width},
                 {"height", half.to.height},
                 {"from_side", line.scale.from},
                 {"to_side", line.scale.to},
                 {"phase", line.scale.phase},
                 {"source_side", line.source},
                 {"first_source", line.first_source},
                 {"first_target", line.first_target},
                 {"reach", reach},
                 {"period", period},
                 {"shift", period * div_ceil(reach + 1, period)}},
      .grid = {.group = {64, 1},
               .count = on_x ? std::array{div_ceil(line.target, 64), div_ceil(half.to.height, rows_of_group)}
                             : std::array{div_ceil(half.to.width, 256), line.target}},
      .access = {.reads_per_texel = 2.0 * reach + 1, .strips = strips_of(line, filtering, half, reach)},
      .memory = {
          .bytes_read = texel_count(half.from) * 4 * bytes_of(half.is_first ? builder.input().storage : Depth::f32),
          .bytes_written = texel_count(half.to) * 4 * bytes_of(half.is_first ? Depth::f32 : builder.input().storage)}};
}

}  // namespace

// Texels that the middle of a texel of the result lies away from where it would without a phase.
static int off_by(const Scale& scale, int from, int to) {
  const auto off = [&](int i) {
    const double middle = (i + 0.5) * scale.from / scale.to + 0.5 * scale.phase / scale.to;
    return std::abs(middle - (i + 0.5) * from / to);
  };
  return int(std::ceil(std::max(off(0), off(to - 1))));
}

Margin reach_of(const Filtering& filtering, Size from, Size to) {
  const Scales scales = scales_of(filtering, from, to);
  return {.x = reach_of(filtering.filter, scales.x) + off_by(scales.x, from.width, to.width),
          .y = reach_of(filtering.filter, scales.y) + off_by(scales.y, from.height, to.height),
          .wraps = filtering.border == Border::repeat};
}

Footprint filter_footprint(const Filtering& filtering, Size from, Size to) {
  return {.kind = Footprint::Kind::around, .margin = reach_of(filtering, from, to), .nearest = [from, to](Position at) {
            return Position{under_middle(at.x, from.width, to.width), under_middle(at.y, from.height, to.height)};
          }};
}

bool filters_rows_first(const FilterStep& step, const Filtering& filtering) {
  // limited sums depend on the order, which is then that of the definition
  return filtering.limits_ringing || cost(filtering, step, true) <= cost(filtering, step, false);
}

void plan_filter(PlanBuilder& builder, const std::vector<FilterStep>& steps, const Filtering& filtering, bool x_first) {
  const FilterStep& largest = steps.front();
  const auto size_between = [&](const FilterStep& step) {
    return x_first ? Size{step.target.size.width, step.source.size.height}
                   : Size{step.source.size.width, step.target.size.height};
  };
  const int between = builder.add_image({.size = size_between(largest), .depth = Depth::f32});
  builder.keep_in_rgb(between);
  for (const FilterStep& step : steps) {
    PassSpec first =
        pass_of(builder, step, filtering, {x_first ? along_x : along_y, true, step.source.size, size_between(step)});
    first.source.image = step.source_image;
    first.source.level = step.source_level;
    first.target.image = between;
    builder.add(std::move(first));
    PassSpec last =
        pass_of(builder, step, filtering, {x_first ? along_y : along_x, false, size_between(step), step.target.size});
    last.source.image = between;
    last.target.image = step.target_image;
    last.target.level = step.target_level;
    builder.add(std::move(last));
  }
}

}  // namespace gpupost
