#include "core/ops/mips/single_pass.h"

#include "core/base/math.h"
#include "core/ops/mips/row.h"

#include <algorithm>
#include <bit>

namespace gpupost {

MipsSteps mips_steps(Size base, int levels) {
  const int even_count = std::min(std::countr_zero(unsigned(base.width)), std::countr_zero(unsigned(base.height)));
  MipsSteps steps{.is_even = even_count >= 3};
  steps.tile = std::min(steps.is_even ? std::min(6, even_count) : 3, levels - 1);
  const int left = levels - 1 - steps.tile;
  steps.is_block_even = steps.tile == 6 && left > 0 && even_count - 6 >= std::min(4, left);
  steps.block = std::min(left, steps.is_block_even ? std::min(6, even_count - 6) : 4);
  steps.has_tail = steps.block < left;
  return steps;
}

namespace {

constexpr int max_targets = 15;  // levels below the base of the largest picture, 32768 texels a side
constexpr int even_block_texels = 16 * 16;
constexpr int odd_block_texels = 23 * 23 + 11 * 11;  // the first two levels of a block, with those of its neighbors

// A level of the tail of so many texels goes through shared memory, larger ones through scratch memory. Of more shared
// memory fewer workgroups run at once.
int tail_texels(MipsSteps steps) { return steps.is_block_even ? 64 : 256; }

// Texels of shared memory the kernel declares.
int shared_texels(MipsSteps steps, MipsVariant variant) {
  int most = steps.is_even ? mips_exchanges[variant.exchange].shared_texels[variant.each == 4] : odd_block_texels;
  if (steps.block > 0) most = std::max(most, steps.is_block_even ? even_block_texels : odd_block_texels);
  if (steps.has_tail) most = std::max(most, tail_texels(steps) * 3 / 2);
  return most;
}

}  // namespace

std::string obstacle(const MipsSinglePass& pass, const PlanInput& input, const DeviceTraits& traits) {
  if (traits.max_group_invocations < 256)
    return fmt::format("it needs workgroups of 256 threads; the device has {}", traits.max_group_invocations);
  if (!traits.has_memory_model) return "it needs the Vulkan memory model, which the device lacks";
  if (traits.max_storage_images < pass.levels - 1)
    return fmt::format("it writes {} images at once; the device allows {}", pass.levels - 1, traits.max_storage_images);
  const int texel_bytes = input.half_arithmetic ? 8 : 16;
  const int bytes = shared_texels(pass.steps, pass.variant) * texel_bytes + 16;
  if (traits.shared_bytes < bytes)
    return fmt::format("it needs {} bytes of shared memory; the device has {}", bytes, traits.shared_bytes);
  const MipsExchange& exchange = mips_exchanges[pass.variant.exchange];
  if (exchange.subgroup_size > traits.subgroup.size)
    return fmt::format("exchange by {} needs subgroups of {} threads; the device has {}", exchange.name,
                       exchange.subgroup_size, traits.subgroup.size);
  // kernels that exchange by shuffles exchange within quads too
  if ((exchange.subgroup_size >= 4 && !traits.subgroup.has_quad) ||
      (exchange.subgroup_size > 4 && !traits.subgroup.has_shuffle))
    return fmt::format("the device's subgroups do not support exchange by {}", exchange.name);
  if (pass.variant.linear && pass.reduce != 0) return "a linear sampler gives only means, not minimum or maximum";
  if (pass.variant.linear && !stays_rgb(input)) return "a linear sampler would average x and y as if they were light";
  if (pass.variant.linear && input.storage == Depth::f32 && !traits.filters_f32)
    return "the device has no linear sampler for 32-bit floats";
  if (pass.variant.linear && input.storage == Depth::u8 && traits.type == DeviceType::cpu)
    return "a CPU's linear sampler rounds means of 8-bit values wrongly";
  return "";
}

// Texels that the workgroups hand on: the tiles' last level, the blocks' last level, and those below.
static size_t scratch_texels(Size base, const MipsSinglePass& pass) {
  size_t texels = texel_count(level_size(base, pass.steps.tile));
  for (int level = pass.steps.block_level(); level < pass.levels; ++level)
    texels += texel_count(level_size(base, level));
  return texels;
}

void plan_single_pass(PlanBuilder& builder, int image, const MipsSinglePass& single) {
  const Size base = builder.image(image).size;
  const MipsSteps& steps = single.steps;
  const MipsVariant& variant = single.variant;
  const auto grid = [base](int level, int side) {
    const Size size = level_size(base, level);
    return std::array{div_ceil(size.width, side), div_ceil(size.height, side)};
  };
  const std::array<int, 2> tiles = steps.is_even ? grid(0, 64) : grid(steps.tile, 32 >> steps.tile);
  const std::array<int, 2> blocks = grid(steps.block_level(), steps.block_side());
  const int counter_texels = div_ceil(1 + blocks[0] * blocks[1], 4);  // counters of 4 bytes in texels of 16
  const bool has_scratch = steps.block > 0;
  // Loads of words take half of the registers, so that more of them are in flight. It shows from 2048 x 2048 on.
  const bool reads_words = builder.image(image).depth == Depth::half && !variant.linear && texel_count(base) >= 1 << 22;
  PassSpec pass{
      .name = "mips single pass",
      .kernel = steps.is_even ? "mips/even.glsl" : "mips/odd.glsl",
      .defines = {{"REDUCE", single.reduce, mips_op.param("reduce")->choices},
                  {"STEPS", steps.tile},
                  {"BLOCK_STEPS", steps.block},
                  {"BLOCK_EVEN", steps.is_block_even},
                  {"TAIL", steps.has_tail},
                  {"TAIL_TEXELS", tail_texels(steps)},
                  {"SHARED_TEXELS", shared_texels(steps, variant)}},
      .values = {{"width", base.width},
                 {"height", base.height},
                 {"level_count", single.levels},
                 {"origin_x", 0},
                 {"origin_y", 0},
                 {"tiles_x", tiles[0]},
                 {"tiles_y", tiles[1]},
                 {"texel_offset", counter_texels}},
      .grid = {.group = {256, 1}, .count = tiles},
      .arithmetic = {.is_half = builder.input().half_arithmetic},
      .source = {.image = image},
      .target = {.image = image,
                 .level = 1,
                 .count = single.levels - 1,
                 .bound_count = builder.traits().max_storage_images > max_targets ? max_targets : single.levels - 1},
      .access = {.reads_words = reads_words, .is_bounded = true},
      .memory = {.scratch_bytes = has_scratch ? 16 * (size_t(counter_texels) + scratch_texels(base, single)) : 0,
                 .zeroed_bytes = has_scratch ? 16 * size_t(counter_texels) : 0}};
  if (steps.is_even) add_variant(pass, variant, builder.traits());
  builder.add(std::move(pass));
}

}  // namespace gpupost
