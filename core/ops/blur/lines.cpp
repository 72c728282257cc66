#include "core/ops/blur/lines.h"

#include "core/base/math.h"

#include <algorithm>

namespace gpupost {

namespace {

constexpr int block = 8;  // texels that a thread makes at a time

// One of the passes of a blur. The first one halves all sums, and the last one doubles them.
struct LinePass {
  Axis axis = along_x;
  bool is_first = true, is_last = true;
};

int radius_of(const Blur& blur, Axis axis) { return axis == along_x ? blur.radius_x : blur.radius_y; }
int side_of(Size size, Axis axis) { return axis == along_x ? size.width : size.height; }

std::vector<float> table_of(const Blur& blur, const LinePass& line_pass) {
  std::vector<float> table;
  for (const double weight : weights_of(blur, radius_of(blur, line_pass.axis)))
    table.push_back(float(line_pass.is_first ? weight / 2 : weight));
  return table;
}

PassSpec pass_of(const Blur& blur, const LinePass& line_pass, Size size) {
  return {.defines = {{"AXIS", line_pass.axis, axis_names},
                      {"BORDER", int(blur.border), border_names},
                      {"IS_FIRST", line_pass.is_first},
                      {"IS_LAST", line_pass.is_last}},
          .values = {{"width", size.width},
                     {"height", size.height},
                     {"radius_x", blur.radius_x},
                     {"radius_y", blur.radius_y}},
          .table = table_of(blur, line_pass),
          .access = {.is_bounded = true}};
}

constexpr int outputs = 4;  // of a thread that makes no run

// The weights that all four sums of a thread take begin with the fourth, a few of them apart; the others are read four at
// a time, so that they have to lie at a multiple of four.
void add_taps(PassSpec& pass, int radius, int side) {
  const int common = std::max(0, 2 * radius - (outputs - 2)), rest = common % 4;
  const int padding = rest == 0 ? 1 : 3;
  pass.kernel = "blur/line_taps.glsl";
  pass.defines.insert(pass.defines.end(),
                      {{"LEAST", std::min(2 * radius, outputs - 1)}, {"REST", rest}, {"PAD", padding}});
  pass.values.push_back({"fours", common / 4});
  pass.table.insert(pass.table.begin(), size_t(padding), 0);
  pass.grid.count[1] = div_ceil(side, outputs);
  pass.access.reads_per_texel = (2.0 * radius + 1) / outputs;
}

// Runs of sums, as long as registers hold: what was the fastest on an H100.
constexpr int run = 12;

bool fills_a_run(int radius) { return 2 * radius + 1 >= run; }

void add_runs(PassSpec& pass, int radius) {
  const int common = 2 * radius + 1 - run;
  pass.kernel = "blur/line_runs.glsl";
  pass.defines.insert(pass.defines.end(), {{"RUN", run}, {"REST", common % run}});
  pass.values.push_back({"runs", common / run});
  pass.access.reads_per_texel = (2.0 * radius + 1) / run;
}

// Of a workgroup of runs: lines, and runs of each. Rows are taken in squares of texels, columns many beside each other.
std::array<int, 2> group_of_runs(Axis axis) { return axis == along_x ? std::array{8, 8} : std::array{32, 4}; }

// A segment of a line, which begins with reading the texels around its first, is as long as makes that a small part of it.
// Returns how long.
int add_sums(PassSpec& pass, int radius, int side) {
  const int common = 2 * radius - 6, block_count = common / block, round = block * block_count;
  const int segment = round * std::max(4, div_ceil(512, round));
  int capacity = 4;
  while (capacity < block_count) capacity *= 4;
  pass.kernel = "blur/line_sums.glsl";
  pass.defines.insert(pass.defines.end(), {{"REST", common % block}, {"CAPACITY", capacity}});
  pass.values.insert(pass.values.end(), {{"blocks", block_count}, {"segment", segment}});
  pass.grid.count[1] = div_ceil(side, segment);
  return segment;
}

// Windows that hold no block are summed tap by tap.
bool holds_a_block(int radius) { return 2 * radius - 6 >= block; }

// The image that a pass makes of another.
int plan_line(PlanBuilder& builder, const Blur& blur, const LinePass& line_pass, int source, Depth depth, bool slides) {
  const Size size = builder.image(source).size;
  const int side = side_of(size, line_pass.axis);
  const bool is_gpu = builder.traits().type != DeviceType::cpu;
  const int radius = radius_of(blur, line_pass.axis);
  PassSpec pass = pass_of(blur, line_pass, size);
  pass.name = line_pass.axis == along_x ? "blur rows" : "blur columns";
  // neighboring columns share lines of a cache, and the more of them go on together the better
  pass.grid.group = {line_pass.axis == along_x ? 64 : 128, 1};
  int& period = pass.access.tile_alignment[size_t(line_pass.axis)];
  if (slides && holds_a_block(radius)) {
    period = add_sums(pass, radius, side);
  } else if (is_gpu && fills_a_run(radius)) {
    add_runs(pass, radius);
    period = run;
    pass.grid.group = group_of_runs(line_pass.axis);
    pass.grid.count[1] = div_ceil(side, run * pass.grid.group[1]);
  } else {
    add_taps(pass, radius, side);
    period = outputs;
  }
  if (!line_pass.is_first && !line_pass.is_last) period = 1;  // its image has other places than the picture
  pass.grid.count[0] = div_ceil(side_of(size, line_pass.axis == along_x ? along_y : along_x), pass.grid.group[0]);
  pass.source.image = source;
  pass.target.image = builder.add_image({.size = size, .depth = depth});
  builder.add(pass);
  return pass.target.image;
}

void plan_lines(PlanBuilder& builder, const Blur& blur, bool slides) {
  int current = builder.current_image();
  const Depth depth = builder.image(current).depth;
  const bool has_rows = blur.radius_x > 0 || blur.radius_y == 0, has_columns = blur.radius_y > 0;
  if (has_rows)
    current = plan_line(builder, blur, {.axis = along_x, .is_last = !has_columns}, current,
                        has_columns ? Depth::f32 : depth, slides);
  if (has_columns) current = plan_line(builder, blur, {.axis = along_y, .is_first = !has_rows}, current, depth, slides);
  builder.set_current_image(current);
}

}  // namespace

void plan_sliding_lines(PlanBuilder& builder, const Blur& blur) { plan_lines(builder, blur, true); }
void plan_taps_lines(PlanBuilder& builder, const Blur& blur) { plan_lines(builder, blur, false); }

int plan_inner_line(PlanBuilder& builder, const Blur& blur, Axis axis, int source) {
  return plan_line(builder, blur, {.axis = axis, .is_first = false, .is_last = false}, source, Depth::f32, false);
}

}  // namespace gpupost
