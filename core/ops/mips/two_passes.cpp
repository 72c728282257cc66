#include "core/ops/mips/two_passes.h"

#include "core/base/math.h"
#include "core/ops/mips/last_levels.h"
#include "core/ops/mips/row.h"

namespace gpupost {

static constexpr int odd_tile_steps = 3;  // levels that a tile makes without its neighbors

// Texels of level `level` of a side that a tile needs of its neighbors, for two more levels.
static int halo_texels(int side, int level) {
  const auto is_odd = [side](int at) { return side >> at > 1 && (side >> at) % 2 == 1; };
  return 2 * int(is_odd(level + 1)) + int(is_odd(level));
}

bool suits_two_passes(Size base, const MipsSinglePass& single, const DeviceTraits& traits) {
  const MipsSteps& steps = single.steps;
  const int made = odd_tile_steps + 2;
  return steps.is_even && steps.block > 0 && !steps.is_block_even && steps.tile < made &&
         mips_exchanges[single.variant.exchange].name == "shuffle" && made <= traits.max_storage_images &&
         suits_last_levels(level_size(base, made), single.levels - 1 - made, traits);
}

void plan_two_passes(PlanBuilder& builder, int image, const MipsSinglePass& single) {
  const Size base = builder.image(image).size;
  constexpr int side = 64 >> odd_tile_steps, made = odd_tile_steps + 2;
  constexpr int kept_at = 64, next_at = kept_at + (side + 3) * (side + 3), texels = next_at + 5 * 5;
  PassSpec pass{.name = fmt::format("mips levels 1 to {}", made),
                .kernel = "mips/odd_tile.glsl",
                .defines = {{"REDUCE", single.reduce, mips_op.param("reduce")->choices},
                            {"STEPS", odd_tile_steps},
                            {"BLOCK_STEPS", 0},
                            {"TILE_SIDE", side},
                            {"HALO_X", halo_texels(base.width, odd_tile_steps)},
                            {"HALO_Y", halo_texels(base.height, odd_tile_steps)},
                            {"KEPT_AT", kept_at},
                            {"NEXT_AT", next_at},
                            {"SHARED_TEXELS", texels}},
                .values = {{"width", base.width}, {"height", base.height}, {"origin_x", 0}, {"origin_y", 0}},
                .grid = {.count = {div_ceil(base.width, 64), div_ceil(base.height, 64)}},
                .arithmetic = {.is_half = builder.input().half_arithmetic},
                .source = {.image = image},
                .target = {.image = image, .level = 1, .count = made, .bound_count = made},
                .access = {.is_bounded = true}};
  add_variant(pass, single.variant, builder.traits());
  builder.add(std::move(pass));
  plan_last_levels(builder, image, made, single.levels, single.reduce);
}

}  // namespace gpupost
