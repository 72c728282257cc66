#include "core/ops/bleed/passes.h"

#include "core/base/math.h"
#include "core/ops/bleed/reference.h"

#include <fmt/core.h>

#include <vector>

namespace gpupost {

namespace {

Size size_of_level(PlanBuilder& builder, LevelRef level) {
  return level_size(builder.image(level.image).size, level.level);
}

PassSpec pass_over(std::string name, std::string_view kernel, Size size, bool is_level_0) {
  return {.name = std::move(name),
          .kernel = kernel,
          .defines = {{"IS_LEVEL_0", is_level_0}},
          .values = {{"end_x", size.width}, {"end_y", size.height}},
          .grid = {.count = {div_ceil(size.width, 64), div_ceil(size.height, 16)}},
          .access = {.is_in_rgb = true}};
}

// Adds an image for a level of the pyramid. Its weights are too small for half.
int add_level(PlanBuilder& builder, Size size) {
  const int image = builder.add_image({.size = size, .depth = Depth::f32});
  builder.image(image).space = Space::rgb;
  return image;
}

// Appends the passes that make the pyramid below `source`, and returns its levels with `source` first.
std::vector<LevelRef> plan_means(PlanBuilder& builder, LevelRef source) {
  std::vector<LevelRef> levels{source};
  Size from = size_of_level(builder, source);
  do {
    const Size size = half_of(from);
    PassSpec pass = pass_over(fmt::format("bleed mean {}", levels.size()), "bleed/mean.glsl", size, levels.size() == 1);
    for (const PushConstant& value : {PushConstant{"from_x", from.width},
                                      {"from_y", from.height},
                                      {"least_alpha", float(least_bleeding_alpha)},
                                      {"largest_color", float(largest_bleeding_color)}})
      pass.values.push_back(value);
    pass.access.reads_per_texel = 4;
    pass.source = levels.back();
    pass.target.image = add_level(builder, size);
    levels.push_back({.image = pass.target.image});
    builder.add(std::move(pass));
    from = size;
  } while (from != Size{1, 1});
  return levels;
}

// A pass that fills `source` from the filled level below.
PassSpec fill_pass(PlanBuilder& builder, std::string name, LevelRef source, int below, bool is_level_0) {
  PassSpec pass = pass_over(std::move(name), "bleed/fill.glsl", size_of_level(builder, source), is_level_0);
  pass.source = source;
  pass.second.image = below;
  pass.memory.bytes_read =
      bytes_of_level(builder.image(source.image), source.level) + bytes_of_level(builder.image(below), 0);
  pass.access.can_be_in_place = builder.writes_in_place();
  return pass;
}

}  // namespace

PassSpec plan_bled_level(PlanBuilder& builder, LevelRef source) {
  const std::vector<LevelRef> levels = plan_means(builder, source);
  int below = levels.back().image;
  for (size_t level = levels.size() - 2; level > 0; --level) {
    PassSpec pass = fill_pass(builder, fmt::format("bleed fill {}", level), levels[level], below, false);
    below = pass.target.image = add_level(builder, size_of_level(builder, levels[level]));
    builder.add(std::move(pass));
  }
  return fill_pass(builder, "bleed", source, below, true);
}

}  // namespace gpupost
