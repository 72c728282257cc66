#include "core/ops/blur/spline_passes.h"

#include "core/base/math.h"
#include "core/ops/blur/lines.h"
#include "core/ops/blur/spline.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

// The cells of one axis that a picture, or a part of one, is reduced to.
struct Cells {
  SplineGrid grid;
  int corner = 0, side = 1;  // of the part: the first texel in the whole picture, and how many
  int first = 0, count = 1;  // cells

  // The position within the part of the first texel behind a cell.
  int first_texel(int cell) const { return grid.first_texel(cell) - corner; }
};

Cells cells_of(const Blur& blur, int whole, int corner, int side) {
  Cells cells{.grid = SplineGrid(blur.sigma, whole, blur.border), .corner = corner, .side = side};
  const bool is_whole = corner == 0 && side == whole;
  const bool has_begin = blur.border == Border::repeat ? is_whole : corner == 0;
  const bool has_end = blur.border == Border::repeat ? is_whole : corner + side == whole;
  const int beyond = blur.border == Border::repeat || blur.border == Border::mirror ? 0 : cells_beyond;
  cells.first = -beyond;
  if (!has_begin) {
    const int needed = cells.grid.cell_before(corner) - 1 + beyond;
    const int rest = needed % cell_alignment;
    cells.first = needed - (rest < 0 ? rest + cell_alignment : rest) - beyond;
  }
  const int last = has_end ? cells.grid.cells() - 1 + beyond : cells.grid.cell_before(corner + side - 1) + 2;
  cells.count = last - cells.first + 1;
  return cells;
}

int border_of(const Blur& blur) {
  return int(blur.border == Border::renormalize ? Border::black : blur.border);  // the last pass divides
}

// Cells that a thread makes: `texels` of the line or about so many, and a few at least, since it reads those of three more.
int segment_of(const SplineGrid& grid, int texels, int least) {
  return std::max(least, int(texels / grid.texels_per_cell()));
}

// Threads of half a subgroup, at most `most`, where both halves can exchange texels; else 0. All subgroups of a workgroup
// must be full.
int half_subgroup(const DeviceTraits& traits, int threads, int most) {
  const int size = traits.subgroup.size;
  return traits.subgroup.has_shuffle && size >= 4 && threads % size == 0 ? std::min(most, size / 2) : 0;
}

void append_reduction(std::vector<float>& table, const Cells& cells, double scale) {
  const int first = cells.first - 2, end = cells.first + cells.count + 1;
  for (int texel = cells.first_texel(first); texel < cells.first_texel(end); ++texel)
    for (const double weight : cells.grid.weights(texel + cells.corner)) table.push_back(float(weight * scale));
  for (int interval = first; interval <= end; ++interval) table.push_back(float(cells.first_texel(interval)));
}

// Columns on a GPU. Returns the image of the cells.
int plan_column_reduction(PlanBuilder& builder, const Blur& blur, const Cells& cells, int source) {
  const Size size = builder.image(source).size;
  const double width = cells.grid.texels_per_cell();
  const int columns = builder.traits().max_group_invocations >= 256 ? 128 : 64;
  const int half = half_subgroup(builder.traits(), 2 * columns, 16), threads = half > 0 ? 2 * columns : columns;
  const int segment = 8;  // cells
  PassSpec pass{
      .name = "blur: reduce columns",
      .kernel = "blur/spline_reduce_columns.glsl",
      .defines = {{"BORDER", border_of(blur), border_names},
                  {"COLUMNS", columns},
                  {"LANES", half},
                  {"CHUNK", width <= 4    ? 2
                            : width <= 12 ? 4
                                          : 8},
                  {"SEGMENT", segment},
                  {"TEXEL_ROWS", int(std::ceil((segment + 3) * width)) + 1}},
      .grid = {.group = {threads, 1}, .count = {div_ceil(size.width, columns), div_ceil(cells.count, segment)}},
      .arithmetic = {.subgroup_size = 2 * half},
      .source = {source},
      .access = {.is_bounded = true, .reads_per_texel = width * (1 + 3.0 / segment)}};
  append_reduction(pass.table, cells, 0.5 / width);
  const int intervals = int(pass.table.size()) - (cells.count + 4);
  pass.values = {{"width", size.width},
                 {"height", size.height},
                 {"cells", cells.count},
                 {"before", -cells.first_texel(cells.first - 2)},
                 {"intervals", intervals}};
  const int target = pass.target.image = builder.add_image({.size = {size.width, cells.count}, .depth = Depth::f32});
  builder.add(std::move(pass));
  return target;
}

// Lines along any axis. Returns the image of the cells.
int plan_line_reduction(PlanBuilder& builder, const Blur& blur, Axis axis, const Cells& cells, bool is_first,
                        int source) {
  const bool is_gpu = builder.traits().type != DeviceType::cpu;
  const Size size = builder.image(source).size;
  const SplineGrid& grid = cells.grid;
  Size reduced = size;
  (axis == along_x ? reduced.width : reduced.height) = cells.count;
  const int first_interval = cells.first - 2, interval_count = cells.count + 3;
  const int begin = cells.first_texel(first_interval);
  const double scale = (is_first ? 0.5 : 1) / grid.texels_per_cell();
  PassSpec pass{.name = axis == along_x ? "blur: reduce rows" : "blur: reduce columns",
                .kernel = "blur/spline_reduce.glsl",
                .defines = {{"AXIS", axis, axis_names},
                            {"BORDER", border_of(blur), border_names},
                            {"IS_LAST", 0},
                            {"AHEAD", is_gpu ? 2 : 1}},
                .grid = {.group = is_gpu ? std::array{8, 8} : std::array{64, 1}},
                .source = {source},
                .access = {.is_bounded = true}};
  append_reduction(pass.table, cells, scale);
  const int intervals = int(pass.table.size()) - (interval_count + 1);
  // on a GPU as many threads as keep it busy; on a CPU long runs
  const int segment = is_gpu ? segment_of(grid, 32, 2) : segment_of(grid, 256, 16);
  pass.values = {{"width", size.width}, {"height", size.height},  {"cells", cells.count},
                 {"before", -begin},    {"intervals", intervals}, {"segment", segment}};
  pass.grid.count = {div_ceil(axis == along_x ? size.height : size.width, pass.grid.group[0]),
                     div_ceil(div_ceil(cells.count, segment), pass.grid.group[1])};
  pass.access.reads_per_texel = grid.texels_per_cell() * (1 + 3.0 / segment);
  pass.target.image = builder.add_image({.size = reduced, .depth = Depth::f32});
  const int target = pass.target.image;
  builder.add(std::move(pass));
  return target;
}

// Returns the image of the cells along an axis.
int plan_reduction(PlanBuilder& builder, const Blur& blur, Axis axis, const Cells& cells, bool is_first, int source) {
  if (axis == along_y && builder.traits().type != DeviceType::cpu)
    return plan_column_reduction(builder, blur, cells, source);
  return plan_line_reduction(builder, blur, axis, cells, is_first, source);
}

void append_weights(std::vector<float>& table, const Cells& cells) {
  const std::vector<double> scales = cells.grid.corrections(cells.corner, cells.side);
  for (int texel = 0; texel < cells.side; ++texel)
    for (const double weight : cells.grid.weights(cells.corner + texel))
      table.push_back(float(weight * scales[size_t(texel)]));
}

void append_shares(std::vector<float>& table, const Cells& cells) {
  const std::vector<double> ones = cells.grid.blurred_ones();
  for (int texel = cells.corner; texel < cells.corner + cells.side; ++texel)
    table.push_back(float(1 / ones[size_t(texel)]));
}

// Has a pass keep the cells of a workgroup in shared memory, which is nothing to a CPU.
void use_tiles(PassSpec& pass, const DeviceTraits& traits, const Cells& x, const Cells& y, int segment, Depth depth) {
  const int columns = traits.max_group_invocations >= 128 ? 128 : 64;
  const int half = half_subgroup(traits, columns, 16);
  int cell_columns = 0;
  for (int first = 0; first < x.side; first += columns) {
    const int last = std::min(first + columns, x.side) - 1;
    cell_columns =
        std::max(cell_columns, x.grid.cell_before(x.corner + last) - x.grid.cell_before(x.corner + first) + 4);
  }
  pass.kernel = "blur/spline_enlarge_tile.glsl";
  pass.defines.insert(pass.defines.end(), {{"COLUMNS", columns},
                                           {"LANES", half},
                                           {"IS_FLOAT", depth == Depth::f32},
                                           {"CELL_COLUMNS", cell_columns},
                                           {"CELL_ROWS", segment + 3},
                                           {"TEXEL_ROWS", int(std::ceil(segment * y.grid.texels_per_cell())) + 1}});
  pass.arithmetic.subgroup_size = 2 * half;
  pass.grid.group = {columns, 1};
}

void plan_enlargement(PlanBuilder& builder, const Blur& blur, const Cells* x, const Cells* y, int source, Size size,
                      Depth depth) {
  const bool is_gpu = builder.traits().type != DeviceType::cpu;
  const bool renormalizes = blur.border == Border::renormalize;
  PassSpec pass{.name = "blur: enlarge",
                .kernel = "blur/spline_enlarge.glsl",
                .defines = {{"HAS_X", x != nullptr},
                            {"HAS_Y", y != nullptr},
                            {"RENORMALIZES", renormalizes},
                            {"BORDER", border_of(blur), border_names}},
                .grid = {.group = {64, 1}},
                .source = {source},
                .access = {.is_bounded = true}};
  const Size cells = builder.image(source).size;
  int first_cell = 0, intervals = size.height, segment = 32;
  pass.values = {{"width", size.width}, {"height", size.height}, {"cells_x", cells.width}, {"cells_y", cells.height}};
  // weights of columns are read four at a time, so that they come before all else
  if (y) append_weights(pass.table, *y);
  if (x) {
    pass.values.push_back({"columns_at", int(pass.table.size()) / 4});
    append_weights(pass.table, *x);
    pass.values.push_back({"cells_at", int(pass.table.size())});
    for (int texel = 0; texel < x->side; ++texel)
      pass.table.push_back(float(x->grid.cell_before(x->corner + texel) - x->first));
  }
  if (y) {
    const int first = y->grid.cell_before(y->corner), last = y->grid.cell_before(y->corner + y->side - 1);
    first_cell = first - y->first;
    intervals = last - first + 1;
    segment = is_gpu ? segment_of(y->grid, 16, 1) : segment_of(y->grid, 256, 16);
    pass.values.push_back({"first_cell", first_cell});
    pass.values.push_back({"intervals_at", int(pass.table.size())});
    for (int cell = first; cell <= last + 1; ++cell)
      pass.table.push_back(float(std::clamp(y->first_texel(cell), 0, y->side)));
  }
  if (renormalizes) {
    pass.values.push_back({"shares_at", int(pass.table.size())});
    if (x) append_shares(pass.table, *x);
    if (y) append_shares(pass.table, *y);
  }
  if (x && y && is_gpu) use_tiles(pass, builder.traits(), *x, *y, segment, depth);
  pass.values.insert(pass.values.end(), {{"intervals", intervals}, {"segment", segment}});
  pass.grid.count = {div_ceil(size.width, pass.grid.group[0]), div_ceil(intervals, segment)};
  pass.target.image = builder.add_image({.size = size, .depth = depth});
  builder.set_current_image(pass.target.image);
  builder.add(std::move(pass));
}

}  // namespace

void plan_splines(PlanBuilder& builder, const Blur& blur) {
  const int source = builder.current_image();
  const auto [size, depth] = std::pair(builder.image(source).size, builder.image(source).depth);
  const Size whole = builder.whole_size();
  const Position corner = builder.input().corner;
  const Cells x = cells_of(blur, whole.width, corner.x, size.width);
  const Cells y = cells_of(blur, whole.height, corner.y, size.height);
  const bool has_x = blur.radius_x > 0, has_y = blur.radius_y > 0;
  int current = source;
  if (has_y) current = plan_reduction(builder, blur, along_y, y, true, current);
  if (has_x) current = plan_reduction(builder, blur, along_x, x, !has_y, current);
  const auto plan_blur_of_cells = [&](Axis axis, const SplineGrid& grid) {
    Blur inner{.kernel = BlurKernel::gaussian, .sigma = grid.sigma(), .border = Border(border_of(blur))};
    (axis == along_x ? inner.radius_x : inner.radius_y) = grid.radius();
    current = plan_inner_line(builder, inner, axis, current);
  };
  if (has_y) plan_blur_of_cells(along_y, y.grid);
  if (has_x) plan_blur_of_cells(along_x, x.grid);
  plan_enlargement(builder, blur, has_x ? &x : nullptr, has_y ? &y : nullptr, current, size, depth);
}

}  // namespace gpupost
