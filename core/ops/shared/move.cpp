#include "core/ops/shared/move.h"

namespace gpupost {

void plan_move(PlanBuilder& builder, std::string name, Size size, Position from, Position step) {
  const int source = builder.current_image();
  const int target = builder.add_image({.size = size, .depth = builder.image(source).depth});
  const size_t bytes = texel_count(size) * 4 * bytes_of(builder.image(source).depth);
  builder.add({.name = std::move(name),
               .kernel = "shared/move.glsl",
               .values = {{"width", size.width},
                          {"height", size.height},
                          {"from_x", from.x},
                          {"from_y", from.y},
                          {"step_x", step.x},
                          {"step_y", step.y}},
               .group = {64, 1},
               .group_count = {(size.width + 63) / 64, (size.height + 3) / 4},
               .source_image = source,
               .target_image = target,
               .copies_raw = true,
               .bytes_read = bytes});
  builder.set_current_image(target);
}

}  // namespace gpupost
