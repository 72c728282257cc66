#include "core/ops/mips/coverage_passes.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/ops/mips/coverage_reference.h"

#include <algorithm>

namespace gpupost {

namespace {

constexpr size_t counts_bytes = coverage_scale_count * sizeof(uint32_t);

// Samples 4x4 times between four texels: those of level 0 are counted in 32 bits.
void check_size(Size size) {
  if (uint64_t(std::max(size.width - 1, 1)) * uint64_t(std::max(size.height - 1, 1)) * 16 <= UINT32_MAX) return;
  fail(Exit::limit, "mips: the image is {} x {} texels; --coverage allows at most 2^28 texels", size.width,
       size.height);
}

PassSpec count_pass(Size size, int level, double reference) {
  return {.name = fmt::format("coverage of level {}", level),
          .kernel = "mips/coverage_count.glsl",
          .defines = {{"IS_BASE", level == 0}, {"SCALE_COUNT", coverage_scale_count}},
          .values = {{"width", size.width}, {"height", size.height}, {"level", level}, {"reference", float(reference)}},
          .grid = {.group = {64, 1},
                   .count = {div_ceil(std::max(size.width - 1, 1), 64), div_ceil(std::max(size.height - 1, 1), 16)}},
          .memory = {.has_statistics = true, .bytes_written = counts_bytes}};
}

PassSpec search_pass(Size base, int levels) {
  return {.name = "scales of alpha",
          .kernel = "mips/coverage_search.glsl",
          .defines = {{"SCALE_COUNT", coverage_scale_count}},
          .values = {{"width", base.width}, {"height", base.height}},
          .grid = {.group = {64, 1}, .count = {levels - 1, 1}},
          .memory = {.has_statistics = true,
                     .bytes_read = counts_bytes * size_t(levels - 1),
                     .bytes_written = sizeof(float) * size_t(levels - 1)}};
}

PassSpec scale_pass(Size size, int level) {
  return {.name = fmt::format("alpha of level {}", level),
          .kernel = "mips/coverage_scale.glsl",
          .values = {{"width", size.width}, {"height", size.height}, {"level", level}},
          .grid = {.group = {64, 1}, .count = {div_ceil(size.width, 64), div_ceil(size.height, 4)}},
          .source = {.level = level},
          .target = {.level = level - 1},
          .memory = {.has_statistics = true}};
}

PassSpec return_pass(Size size, int level) {
  return {
      .name = fmt::format("alpha of level {} back", level),
      .kernel = "shared/move.glsl",
      .values =
          {{"width", size.width}, {"height", size.height}, {"from_x", 0}, {"from_y", 0}, {"step_x", 1}, {"step_y", 1}},
      .grid = {.group = {64, 1}, .count = {div_ceil(size.width, 64), div_ceil(size.height, 4)}},
      .source = {.level = level - 1},
      .target = {.level = level}};
}

}  // namespace

void plan_coverage(PlanBuilder& builder, double reference) {
  const int image = builder.current_image();
  const PlanImage made = builder.image(image);
  const int levels = made.level_count;
  check_size(made.size);
  // no pass reads and writes the same level: scaled ones stand in an image between, which begins at level 1
  const int between = builder.add_image(
      {.size = level_size(made.size, 1), .depth = builder.depth_of_light(), .level_count = levels - 1});
  builder.keep_in_rgb(between);
  const int counts_at = builder.reserve_statistics(counts_bytes * size_t(levels));
  const auto add = [&](PassSpec pass, int source, int target) {
    pass.source.image = source;
    pass.target.image = target;
    if (pass.memory.has_statistics) pass.values.push_back({"counts_at", counts_at});
    builder.add(std::move(pass));
  };
  for (int level = 0; level < levels; ++level) {
    PassSpec pass = count_pass(level_size(made.size, level), level, reference);
    pass.source.level = level;
    add(std::move(pass), image, between);
  }
  add(search_pass(made.size, levels), image, between);
  for (int level = 1; level < levels; ++level) {
    const Size size = level_size(made.size, level);
    add(scale_pass(size, level), image, between);
    add(return_pass(size, level), between, image);
  }
  builder.note("mips: extra passes scale alpha, level by level");
}

void plan_coverage_count(PlanBuilder& builder, bool is_base, double reference) {
  const int image = builder.current_image();
  const Size size = builder.image(image).size;
  check_size(size);
  PassSpec pass = count_pass(size, is_base ? 0 : 1, reference);
  pass.source.image = pass.target.image = image;
  const int counts_at = builder.reserve_statistics(2 * counts_bytes);
  pass.values.push_back({"counts_at", counts_at});
  builder.add(std::move(pass));
  if (is_base) builder.return_statistics(counts_at, sizeof(uint32_t));
  else builder.return_statistics(counts_at + coverage_scale_count, counts_bytes);
}

void plan_coverage_scale(PlanBuilder& builder) {
  const PlanImage image = builder.image(builder.current_image());
  PassSpec pass = scale_pass(image.size, 0);
  pass.target.level = 0;
  pass.source.image = builder.current_image();
  pass.values.push_back({"counts_at", builder.take_measured().value()});
  builder.add_result(std::move(pass), {.size = image.size, .depth = image.depth});
}

}  // namespace gpupost
