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
  std::vector<double> weights;  // empty: those of the blur
};

int radius_of(const Blur& blur, Axis axis) { return axis == along_x ? blur.radius_x : blur.radius_y; }
int side_of(Size size, Axis axis) { return axis == along_x ? size.width : size.height; }

std::vector<float> table_of(const Blur& blur, const LinePass& line_pass) {
  std::vector<float> table;
  const bool has_own = !line_pass.weights.empty();
  for (const double weight : has_own ? line_pass.weights : weights_of(blur, radius_of(blur, line_pass.axis)))
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
int add_taps(PassSpec& pass, int radius) {
  const int common = std::max(0, 2 * radius - (outputs - 2)), rest = common % 4;
  const int padding = rest == 0 ? 1 : 3;
  pass.kernel = "blur/line_taps.glsl";
  pass.defines.insert(pass.defines.end(),
                      {{"LEAST", std::min(2 * radius, outputs - 1)}, {"REST", rest}, {"PAD", padding}});
  pass.values.push_back({"fours", common / 4});
  pass.table.insert(pass.table.begin(), size_t(padding), 0);
  pass.access.reads_per_texel = (2.0 * radius + 1) / outputs;
  return outputs;
}

// Runs of sums: on a GPU as long as registers hold, on a CPU shorter. Returns how many texels of a line a thread makes.
int add_runs(PassSpec& pass, int radius, int run) {
  const int common = 2 * radius + 1 - run;
  pass.kernel = "blur/line_runs.glsl";
  pass.defines.insert(pass.defines.end(), {{"RUN", run}, {"REST", common % run}});
  pass.values.push_back({"runs", common / run});
  pass.access.reads_per_texel = (2.0 * radius + 1) / run;
  return run;
}

// A segment of a line, which begins with reading the texels around its first, is as long as makes that a small part of it.
// Returns how long.
int add_sums(PassSpec& pass, int radius) {
  const int common = 2 * radius - 6, block_count = common / block, round = block * block_count;
  const int segment = round * std::max(4, div_ceil(512, round));
  int capacity = 4;
  while (capacity < block_count) capacity *= 4;
  pass.kernel = "blur/line_sums.glsl";
  pass.defines.insert(pass.defines.end(), {{"REST", common % block}, {"CAPACITY", capacity}});
  pass.values.insert(pass.values.end(), {{"blocks", block_count}, {"segment", segment}});
  return segment;
}

// Sums of short windows. Returns how many texels of a line a thread makes.
int add_windows(PassSpec& pass, int radius) {
  pass.kernel = "blur/line_windows.glsl";
  pass.values.push_back({"in_all", 2 * radius - 6});
  return block;
}

// How threads make lines.
struct Threads {
  int texels = 0;              // of a line, by each of them
  std::array<int, 2> group{};  // workgroup
  bool is_along = false;       // neighbors take neighboring parts of a row: faster on a CPU
};

// Adds the kernel that was the fastest, on an H100 and on two cores of a CPU: docs/performance/log.md.
Threads add_kernel(PassSpec& pass, Axis axis, int radius, bool slides, bool is_gpu) {
  const bool is_row = axis == along_x;
  // neighboring columns share lines of a cache, and the more of them go on together the better
  Threads threads{.group = {is_row ? 64 : 128, 1}, .is_along = is_row && !is_gpu};
  const int in_all_of_block = 2 * radius + 2 - block, run = is_gpu ? 12 : block;
  if (slides && in_all_of_block > 0) {
    const bool is_short = in_all_of_block <= (is_row ? 10 : 24);
    threads.texels = is_short ? add_windows(pass, radius) : add_sums(pass, radius);
    threads.is_along = is_row && is_short;
  } else if ((is_gpu || is_row) && 2 * radius + 1 >= run) {
    threads.texels = add_runs(pass, radius, run);
    if (is_gpu) threads.group = is_row ? std::array{8, 8} : std::array{32, 4};
  } else {
    threads.texels = add_taps(pass, radius);
  }
  return threads;
}

// The image that a pass makes of another.
int plan_line(PlanBuilder& builder, const Blur& blur, const LinePass& line_pass, int source, Depth depth, bool slides) {
  const Size size = builder.image(source).size;
  const bool is_row = line_pass.axis == along_x, is_gpu = builder.traits().type != DeviceType::cpu;
  PassSpec pass = pass_of(blur, line_pass, size);
  pass.name = is_row ? "blur rows" : "blur columns";
  const Threads threads = add_kernel(pass, line_pass.axis, radius_of(blur, line_pass.axis), slides, is_gpu);
  // the image of a pass between others has other places than the picture
  if (line_pass.is_first || line_pass.is_last) pass.access.tile_alignment[size_t(line_pass.axis)] = threads.texels;
  if (threads.is_along) pass.defines.push_back({"IS_ALONG", 1});
  const int parts = div_ceil(side_of(size, line_pass.axis), threads.texels);
  const int lines = side_of(size, is_row ? along_y : along_x);
  const auto [across, down] = threads.is_along ? std::pair(parts, lines) : std::pair(lines, parts);
  pass.grid.group = threads.group;
  pass.grid.count = {div_ceil(across, pass.grid.group[0]), div_ceil(down, pass.grid.group[1])};
  const bool has_far_rows = !is_row && blur.border == Border::repeat;
  const bool is_rows_across = is_row && !threads.is_along;
  if (!has_far_rows)
    pass.access.strips = {
        .grid_axis = is_rows_across ? 0 : 1,
        .rows = is_rows_across ? pass.grid.group[0] : pass.grid.group[1] * (is_row ? 1 : threads.texels),
        .margin = is_row ? 0 : blur.radius_y};
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

int plan_inner_line(PlanBuilder& builder, Border border, Axis axis, std::vector<double> weights, int source) {
  Blur blur{.kernel = BlurKernel::gaussian, .border = border};
  (axis == along_x ? blur.radius_x : blur.radius_y) = int(weights.size()) / 2;
  return plan_line(builder, blur, {.axis = axis, .is_first = false, .is_last = false, .weights = std::move(weights)},
                   source, Depth::f32, false);
}

}  // namespace gpupost
