#include "core/ops/shared/move.h"

#include "core/base/math.h"

namespace gpupost {

void plan_move(PlanBuilder& builder, std::string name, const Move& move) {
  const auto& [size, from, step, swaps_axes, fills] = move;
  const int source = builder.current_image();
  std::vector<Define> defines;
  if (swaps_axes) defines.push_back({"SWAPS_AXES", 1});
  if (fills) defines.push_back({"FILLS", 1});
  const PlanImage target{.size = size, .depth = builder.image(source).depth};
  builder.add_result({.name = std::move(name),
                      .kernel = "shared/move.glsl",
                      .defines = std::move(defines),
                      .values = {{"width", size.width},
                                 {"height", size.height},
                                 {"from_x", from.x},
                                 {"from_y", from.y},
                                 {"step_x", step.x},
                                 {"step_y", step.y}},
                      .grid = {.group = {64, 1}, .count = {div_ceil(size.width, 64), div_ceil(size.height, 4)}},
                      .source = {.image = source},
                      .access = {.only_copies = true, .copies_raw = true},
                      .memory = {.bytes_read = bytes_of_level(target, 0)}},
                     target);
}

}  // namespace gpupost
