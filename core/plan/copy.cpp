#include "core/plan/copy.h"

namespace gpupost {

Pass copy_pass(Size size, DeviceType device) {
  const int columns = device == DeviceType::cpu ? 64 : 16, rows = 4 * 256 / columns;
  return {.name = "copy",
          .kernel = "shared/copy.glsl",
          .defines = {{"COLUMNS", columns}},
          .values = {{"end_x", size.width}, {"end_y", size.height}},
          .group_count = {(size.width + columns - 1) / columns, (size.height + rows - 1) / rows},
          .source_image = 0,
          .target_image = 1};
}

}  // namespace gpupost
