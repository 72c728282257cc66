#include "core/ops/blur/spline_passes.h"

#include "core/base/math.h"
#include "core/ops/blur/lines.h"
#include "core/ops/blur/spline.h"
#include "core/ops/blur/strips.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

namespace {

constexpr int large_gpu = 132;  // processors of an H100 and an H200

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

// Cells of the whole axis, of which a part of a picture has some.
int most_cells(const Cells& cells) { return cells.grid.cells() + 2 * cells_beyond; }

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
  return traits.subgroup.has_shuffle && size >= 8 && threads % size == 0 ? std::min(most, size / 2) : 0;
}

void append_reduction(std::vector<float>& table, const Cells& cells, double scale) {
  const int first = cells.first - 2, end = cells.first + cells.count + 1;
  const int begin = cells.first_texel(first), count = cells.first_texel(end) - begin;
  for (const std::array<double, 4>& weights : cells.grid.reductions(begin + cells.corner, count))
    for (const double weight : weights) table.push_back(float(weight * scale));
  for (int interval = first; interval <= end; ++interval) table.push_back(float(cells.first_texel(interval)));
}

// Columns on a GPU. Returns the image of the cells.
int plan_column_reduction(PlanBuilder& builder, const Blur& blur, const Cells& cells, int source) {
  const Size size = builder.image(source).size;
  const double width = cells.grid.texels_per_cell();
  const int columns = builder.traits().max_group_invocations >= 256 ? 128 : 64;
  const int half = half_subgroup(builder.traits(), 2 * columns, 16), threads = half > 0 ? 2 * columns : columns;
  // as many cells as make three workgroups a processor of a large GPU, but not so many that their table fills shared memory
  const int segments = std::max(1, 3 * large_gpu / div_ceil(builder.whole_size().width, columns));
  const int segment = std::clamp(div_ceil(most_cells(cells), segments), 4, 16);
  // two threads read the texels of an interval in as few turns as registers allow, with few places left over
  const int most_texels = int(std::ceil(width)), chunk = div_ceil(most_texels, 2 * div_ceil(most_texels, 16));
  PassSpec pass{
      .name = "blur: reduce columns",
      .kernel = "blur/spline_reduce_columns.glsl",
      .defines = {{"BORDER", border_of(blur), border_names},
                  {"COLUMNS", columns},
                  {"LANES", half},
                  {"CHUNK", chunk},
                  {"SEGMENT", segment},
                  {"TEXEL_ROWS", int(std::ceil((segment + 3) * width)) + 1}},
      .grid = {.group = {threads, 1}, .count = {div_ceil(size.width, columns), div_ceil(cells.count, segment)}},
      .arithmetic = {.subgroup_size = 2 * half},
      .source = {source},
      .access = {.reads_words = true, .is_bounded = true, .reads_per_texel = width * (1 + 3.0 / segment)}};
  append_reduction(pass.table, cells, 0.5);
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

// How a workgroup reduces both axes at once.
struct BothShape {
  int columns = 256;        // threads that sum a column each
  int segment = 12;         // rows of cells
  bool has_halves = false;  // for cells and sums
  int cells = 0;            // of a row
  int taps = 0;             // columns of a cell, at most; odd, so that threads use different banks of shared memory
  int texel_rows = 0;

  int threads() const { return columns + round_up(cells, 32); }
  int shared_bytes() const {
    const int of_sum = has_halves ? 8 : 16;
    return of_sum * 2 * (columns + columns / 4) + 16 * texel_rows + 4 * (segment + 4 + cells + 4 + cells * taps);
  }
};

// The shape of a workgroup with such columns and segments.
BothShape both_shape(const Cells& x, const Cells& y, Depth depth, int columns, int segment) {
  BothShape shape{.columns = columns, .segment = segment, .has_halves = depth == Depth::half};
  const double width = x.grid.texels_per_cell(), height = y.grid.texels_per_cell();
  shape.cells = std::min(int((columns - 1) / width) - 3, most_cells(x));
  shape.taps = int(std::ceil(4 * width)) | 1;
  shape.texel_rows = int(std::ceil((segment + 3) * height)) + 1;
  return shape;
}

// The shape that was the fastest on an H200. Four workgroups of halves run at once on a processor, which has 48 KiB of shared
// memory for them. So segments are as long as make one turn of such workgroups, or two and so on where they would need more shared
// memory. A tile has the shape of the whole image.
BothShape both_shape(const Cells& x, const Cells& y, Depth depth) {
  const double height = y.grid.texels_per_cell();
  if (depth != Depth::half)
    return both_shape(x, y, depth, height >= 4 && height < 8 ? 192 : 256, height >= 9 ? 16 : 12);
  constexpr int columns = 256, at_once = 4, most_bytes = 49152 / at_once, least_segment = 4;
  const int strips = div_ceil(most_cells(x), both_shape(x, y, depth, columns, least_segment).cells);
  for (int turns = 1;; ++turns) {
    const int segments = std::max(1, turns * at_once * large_gpu / strips);
    const int segment = std::max(least_segment, div_ceil(most_cells(y), segments));
    const BothShape shape = both_shape(x, y, depth, columns, segment);
    if (segment == least_segment || shape.shared_bytes() <= most_bytes) return shape;
  }
}

// Cells of an image of halves or bytes are halves. A constant of halves stays one in them, and a texel of the result is a mean of so
// many that their rounding is less than its own.
Depth depth_of_cells(PlanBuilder& builder, int source) {
  return builder.image(source).depth == Depth::f32 || !stays_rgb(builder.input()) ? Depth::f32 : Depth::half;
}

// Returns whether one pass that reduces both axes is faster than two. On an H100 it is where cells are small: of large cells, a
// workgroup reads many columns for few cells.
bool reduces_both(const Cells& x, const Cells& y, Depth depth, const DeviceTraits& traits) {
  constexpr double most_texels = 14;
  if (traits.type == DeviceType::cpu || x.grid.texels_per_cell() > most_texels ||
      y.grid.texels_per_cell() > most_texels)
    return false;
  const BothShape shape = both_shape(x, y, depth);
  return shape.threads() <= traits.max_group_invocations && shape.shared_bytes() <= traits.shared_bytes;
}

// Columns and rows in one pass. Returns the image of the cells.
int plan_both_reductions(PlanBuilder& builder, const Blur& blur, const Cells& x, const Cells& y, int source) {
  const Size size = builder.image(source).size;
  const double width = x.grid.texels_per_cell(), height = y.grid.texels_per_cell();
  const Depth depth = depth_of_cells(builder, source);
  const BothShape shape = both_shape(x, y, depth);
  PassSpec pass{
      .name = "blur: reduce columns and rows",
      .kernel = "blur/spline_reduce_both.glsl",
      .defines = {{"BORDER", border_of(blur), border_names},
                  {"CELLS_ARE_HALVES", shape.has_halves},
                  {"COLUMNS", shape.columns},
                  {"THREADS", shape.threads()},
                  {"CELLS", shape.cells},
                  {"TAPS", shape.taps},
                  {"LEAST_TAPS", int(4 * width)},
                  {"SEGMENT", shape.segment},
                  {"TEXEL_ROWS", shape.texel_rows},
                  {"ROWS", int(std::ceil(height))},
                  {"LEAST_ROWS", int(height)}},
      .grid = {.group = {shape.threads(), 1},
               .count = {div_ceil(x.count, shape.cells), div_ceil(y.count, shape.segment)}},
      .source = {source},
      .access = {
          .reads_words = true, .is_bounded = true, .reads_per_texel = width * height * (1 + 3.0 / shape.segment)}};
  append_reduction(pass.table, y, 0.5);
  const int intervals_at = int(pass.table.size()) - (y.count + 4), columns_at = int(pass.table.size());
  for (int cell = x.first; cell < x.first + x.count + 4; ++cell) pass.table.push_back(float(x.first_texel(cell - 2)));
  const int weights_at = int(pass.table.size());
  const int first_texel = x.first_texel(x.first - 2), end_texel = x.first_texel(x.first + x.count + 2);
  const auto reductions = x.grid.reductions(first_texel + x.corner, end_texel - first_texel);
  for (int cell = x.first; cell < x.first + x.count; ++cell) {
    const int begin = x.first_texel(cell - 2), end = x.first_texel(cell + 2);
    for (int texel = begin; texel < begin + shape.taps; ++texel) {
      const int place = texel < end ? cell + 1 - x.grid.cell_before(texel + x.corner) : 0;
      pass.table.push_back(texel < end ? float(reductions[size_t(texel - first_texel)][size_t(place)]) : 0);
    }
  }
  pass.values = {{"width", size.width},
                 {"height", size.height},
                 {"cells_x", x.count},
                 {"cells_y", y.count},
                 {"before", -y.first_texel(y.first - 2)},
                 {"intervals_at", intervals_at},
                 {"columns_at", columns_at},
                 {"weights_at", weights_at}};
  const int target = pass.target.image = builder.add_image({.size = {x.count, y.count}, .depth = depth});
  builder.add(std::move(pass));
  return target;
}

// Lines along any axis. Returns the image of the cells.
int plan_line_reduction(PlanBuilder& builder, const Blur& blur, Axis axis, const Cells& cells, bool is_first,
                        int source) {
  const bool is_gpu = builder.traits().type != DeviceType::cpu;
  const bool reads_sums =
      is_gpu && !is_first;  // of another axis: few lines, so that shorter parts of them keep a GPU busy
  const Size size = builder.image(source).size;
  const SplineGrid& grid = cells.grid;
  Size reduced = size;
  (axis == along_x ? reduced.width : reduced.height) = cells.count;
  const int first_interval = cells.first - 2, interval_count = cells.count + 3;
  const int begin = cells.first_texel(first_interval);
  const double scale = is_first ? 0.5 : 1;
  PassSpec pass{.name = axis == along_x ? "blur: reduce rows" : "blur: reduce columns",
                .kernel = "blur/spline_reduce.glsl",
                .defines = {{"AXIS", axis, axis_names},
                            {"BORDER", border_of(blur), border_names},
                            {"IS_LAST", 0},
                            {"AHEAD", reads_sums ? 4
                                      : is_gpu   ? 2
                                                 : 1}},
                .grid = {.group = reads_sums ? std::array{32, 1}
                                  : is_gpu   ? std::array{8, 8}
                                             : std::array{64, 1}},
                .source = {source},
                .access = {.is_bounded = true}};
  append_reduction(pass.table, cells, scale);
  const int intervals = int(pass.table.size()) - (interval_count + 1);
  // on a GPU as many threads as keep it busy; on a CPU long runs
  const int segment = is_gpu ? segment_of(grid, 32, reads_sums ? 1 : 2) : segment_of(grid, 256, 16);
  pass.values = {{"width", size.width}, {"height", size.height},  {"cells", cells.count},
                 {"before", -begin},    {"intervals", intervals}, {"segment", segment}};
  pass.grid.count = {div_ceil(axis == along_x ? size.height : size.width, pass.grid.group[0]),
                     div_ceil(div_ceil(cells.count, segment), pass.grid.group[1])};
  pass.access.reads_per_texel = grid.texels_per_cell() * (1 + 3.0 / segment);
  if (axis == along_x) pass.access.strips = {.grid_axis = 0, .rows = pass.grid.group[0]};
  else pass.access.strips = {.grid_axis = 1, .rows = segment * pass.grid.group[1]};
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
  for (int texel = 0; texel < cells.side; ++texel)
    for (const double weight : cells.grid.weights(cells.corner + texel)) table.push_back(float(weight));
}

void append_shares(std::vector<float>& table, const Cells& cells) {
  const std::vector<double> ones = cells.grid.blurred_ones();
  for (int texel = cells.corner; texel < cells.corner + cells.side; ++texel)
    table.push_back(float(1 / ones[size_t(texel)]));
}

// Has a pass keep the cells of a workgroup in shared memory, which is nothing to a CPU.
void use_tiles(PassSpec& pass, const DeviceTraits& traits, const Cells& x, const Cells& y, int segment, Depth of_cells,
               Depth depth) {
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
                                           {"CELLS_ARE_HALVES", of_cells == Depth::half},
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
    // many cells take so much shared memory that few workgroups run at once
    const bool has_many_cells = builder.traits().shared_bytes < 32768 || y->grid.texels_per_cell() < 2.5;
    const bool has_halves = builder.image(source).depth == Depth::half;
    segment = is_gpu ? segment_of(y->grid,
                                  has_many_cells ? 16
                                  : has_halves   ? 32
                                                 : 24,
                                  1)
                     : segment_of(y->grid, 256, 16);
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
  if (x && y && is_gpu) use_tiles(pass, builder.traits(), *x, *y, segment, builder.image(source).depth, depth);
  pass.values.insert(pass.values.end(), {{"intervals", intervals}, {"segment", segment}});
  pass.grid.count = {div_ceil(size.width, pass.grid.group[0]), div_ceil(intervals, segment)};
  pass.target.image = builder.add_image({.size = size, .depth = depth});
  builder.set_current_image(pass.target.image);
  builder.add(std::move(pass));
}

// Weights of a row and of a column of cells. Sums are half of the result until they are stored.
std::vector<float> weights_of_cells(const SplineGrid& x, const SplineGrid& y) {
  std::vector<float> table;
  for (const double weight : x.cell_weights()) table.push_back(float(weight / 2));
  for (const double weight : y.cell_weights()) table.push_back(float(weight));
  return table;
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
  if (has_x && has_y && reduces_both(x, y, depth_of_cells(builder, source), builder.traits())) {
    current = plan_both_reductions(builder, blur, x, y, current);
  } else {
    if (has_y) current = plan_reduction(builder, blur, along_y, y, true, current);
    if (has_x) current = plan_reduction(builder, blur, along_x, x, !has_y, current);
  }
  Blur inner{.kernel = BlurKernel::gaussian, .border = Border(border_of(blur))};
  inner.radius_x = has_x ? x.grid.radius() : 0;
  inner.radius_y = has_y ? y.grid.radius() : 0;
  // by the cells of the whole image, so that its tiles take the same sums
  const Depth of_cells = builder.image(current).depth;
  if (has_y && streams_cells(inner, {x.grid.cells(), y.grid.cells()}, of_cells, builder.traits())) {
    current = plan_cells_stream(builder, inner, weights_of_cells(x.grid, y.grid), current);
  } else if (tiles_cells(inner, of_cells, builder.traits())) {
    current = plan_cells_tiles(builder, inner, weights_of_cells(x.grid, y.grid), current);
  } else {
    const auto plan_blur_of_cells = [&](Axis axis, const SplineGrid& grid) {
      current = plan_inner_line(builder, inner.border, axis, grid.cell_weights(), current);
    };
    if (has_y) plan_blur_of_cells(along_y, y.grid);
    if (has_x) plan_blur_of_cells(along_x, x.grid);
  }
  plan_enlargement(builder, blur, has_x ? &x : nullptr, has_y ? &y : nullptr, current, size, depth);
}

}  // namespace gpupost
