#include "core/plan/copy.h"

#include "core/base/math.h"

namespace gpupost {

PassSpec copy_pass(Size size, DeviceType device, int texels) {
  // On a GPU, eight texels of a thread keep more loads in flight, but small images then have too few threads.
  const bool is_cpu = device == DeviceType::cpu, is_long = !is_cpu && texels == 4 && texel_count(size) >= 1 << 20;
  const int columns = is_cpu ? 64 : 16, threads = is_long ? 64 : 256;
  if (is_long) texels = 8;
  const int rows = texels * threads / columns;
  return {.name = "copy",
          .kernel = "shared/copy.glsl",
          .defines = {{"COLUMNS", columns}, {"TEXELS", texels}, {"THREADS", threads}, {"CLAMPS_LAST", !is_cpu}},
          .values = {{"end_x", size.width}, {"end_y", size.height}},
          .grid = {.group = {threads, 1}, .count = {div_ceil(size.width, columns), div_ceil(size.height, rows)}},
          .source = {.image = 0},
          .target = {.image = 1},
          .access = {.only_copies = true}};
}

}  // namespace gpupost
