#include "core/ops/mips/last_levels.h"

#include "core/base/math.h"
#include "core/ops/mips/row.h"

#include <algorithm>

namespace gpupost {

static constexpr int first_texels = 512;  // most texels of the first level that the workgroup makes

bool suits_last_levels(Size size, int levels_below, const DeviceTraits& traits) {
  constexpr int bytes = first_texels * 5 / 4 * 16;
  return traits.type != DeviceType::cpu && levels_below > 0 && levels_below <= traits.max_storage_images &&
         traits.max_group_invocations >= 256 && traits.shared_bytes >= bytes &&
         texel_count(level_size(size, 1)) <= first_texels && 4 * texel_count(level_size(size, 2)) <= first_texels;
}

void plan_last_levels(PlanBuilder& builder, int image, int level, int levels, int reduce) {
  constexpr int most_targets = 10;  // levels below any level for which suits_last_levels() is true
  const Size size = level_size(builder.image(image).size, level);
  const int count = levels - level - 1;
  builder.add({.name = fmt::format("mips level {} and below", level + 1),
               .kernel = "mips/rest.glsl",
               .defines = {{"REDUCE", reduce, mips_op.param("reduce")->choices},
                           {"BLOCK_STEPS", 0},
                           {"FIRST_TEXELS", first_texels},
                           {"SHARED_TEXELS", first_texels * 5 / 4}},
               .values = {{"width", size.width}, {"height", size.height}, {"level_count", count + 1}},
               .arithmetic = {.is_half = builder.input().half_arithmetic},
               .source = {.image = image, .level = level},
               .target = {.image = image,
                          .level = level + 1,
                          .count = count,
                          .bound_count = std::max(count, std::min(most_targets, builder.traits().max_storage_images))},
               .access = {.is_bounded = true}});
}

}  // namespace gpupost
