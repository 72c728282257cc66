#include "core/ops/prefilter/passes.h"

#include "core/base/math.h"
#include "core/ops/prefilter/reference.h"

#include <fmt/core.h>

#include <utility>

namespace gpupost {

// llvmpipe ends the loops of a thread after 65535 iterations in total, and a thread makes four texels.
static constexpr size_t most_samples_in_pass = 4096;
static_assert(most_samples_in_pass % samples_per_sum == 0);

static Grid grid_over(Size size) { return {.count = {div_ceil(size.width, 64), div_ceil(size.height, 16)}}; }

static int add_float_image(PlanBuilder& builder, Size size) {
  const int image = builder.add_image({.size = size, .depth = Depth::f32});
  builder.image(image).space = Space::rgb;
  return image;
}

int plan_corner_pyramid(PlanBuilder& builder) {
  int source = builder.current_image();
  const Size size = builder.image(source).size, face = face_of_strip(size);
  const CellLevels levels = cell_levels_of(size);
  int rows = 0;
  for (int level = 0; level < levels.count; ++level) rows += levels.cells(level) + 1;
  const int pyramid = add_float_image(builder, {6 * (levels.finest + 1), rows});
  const std::vector<std::vector<float>> solid_angles = solid_angles_of_corners(levels);
  int first_row = 0;
  for (int level = 0; level < levels.count; ++level) {
    const int cells = levels.cells(level);
    const Size made{6 * (cells + 1), cells + 1};
    PassSpec pass{.name = fmt::format("environment level {}", level),
                  .kernel = "prefilter/corners.glsl",
                  .defines = {{"IS_FINEST", level == 0}},
                  .values = {{"end_x", made.width},
                             {"end_y", made.height},
                             {"cells", cells},
                             {"first_row", first_row},
                             {"largest_value", float(largest_environment_value)},
                             {"source_width", size.width},
                             {"source_height", size.height},
                             {"face_width", face.width},
                             {"face_height", face.height}},
                  .grid = grid_over(made),
                  .source = {.image = source},
                  .more_targets = {pyramid},
                  .access = {.is_in_rgb = true, .reads_per_texel = level == 0 ? 4.0 : 9.0}};
    if (level > 0) pass.table = solid_angles[size_t(level) - 1];
    source = pass.target.image = add_float_image(builder, made);
    builder.add(std::move(pass));
    first_row += made.height;
  }
  return pyramid;
}

// A pass over some of the samples. `sum`: the image with the sum of the passes before; -1: none.
static PassSpec filter_pass(std::string name, int pyramid, int sum, const CellLevels& levels,
                            std::span<const LobeSample> samples, Size made) {
  std::vector<float> table;
  for (const LobeSample& sample : samples)
    table.insert(table.end(), {sample.x, sample.y, sample.z, float(sample.weight)});
  for (const LobeSample& sample : samples) table.push_back(float(sample.level));
  const Size face = face_of_strip(made);
  return {.name = std::move(name),
          .kernel = "prefilter/sum.glsl",
          .defines = {{"PART", samples_per_sum}, {"ADDS", sum >= 0}},
          .values = {{"end_x", made.width},
                     {"end_y", made.height},
                     {"made_width", face.width},
                     {"made_height", face.height},
                     {"cells", levels.finest},
                     {"sample_count", int(samples.size())}},
          .table = std::move(table),
          .grid = grid_over(made),
          .source = {.image = pyramid},
          .second = {.image = sum},
          .access = {.is_in_rgb = true, .reads_per_texel = 4.0 * double(samples.size())}};
}

PassSpec plan_filter_passes(PlanBuilder& builder, const std::string& name, int pyramid, const CellLevels& levels,
                            std::span<const LobeSample> samples, Size made) {
  int sum = -1;
  for (int part = 1; samples.size() > most_samples_in_pass; ++part) {
    PassSpec pass = filter_pass(fmt::format("{} part {}", name, part), pyramid, sum, levels,
                                samples.first(most_samples_in_pass), made);
    sum = pass.target.image = add_float_image(builder, made);
    builder.add(std::move(pass));
    samples = samples.subspan(most_samples_in_pass);
  }
  return filter_pass(name, pyramid, sum, levels, samples, made);
}

}  // namespace gpupost
