#include "core/copy.h"

namespace gpupost {

Pass copy_pass(Size size) {
  return {.name = "copy",
          .kernel = "copy.glsl",
          .values = {{"origin_x", 0}, {"origin_y", 0}, {"end_x", size.width}, {"end_y", size.height}},
          .group_count = {(size.width + 63) / 64, (size.height + 15) / 16},
          .source_image = 0,
          .target_image = 1};
}

}  // namespace gpupost
