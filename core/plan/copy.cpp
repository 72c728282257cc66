#include "core/plan/copy.h"

#include "core/base/math.h"

namespace gpupost {

PassSpec copy_pass(Size size, DeviceType device, int texels) {
  const int columns = device == DeviceType::cpu ? 64 : 16, rows = texels * 256 / columns;
  return {.name = "copy",
          .kernel = "shared/copy.glsl",
          .defines = {{"COLUMNS", columns}, {"TEXELS", texels}},
          .values = {{"end_x", size.width}, {"end_y", size.height}},
          .grid = {.count = {div_ceil(size.width, columns), div_ceil(size.height, rows)}},
          .source = {.image = 0},
          .target = {.image = 1}};
}

}  // namespace gpupost
