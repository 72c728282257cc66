// The passes of the mip chain by area means: one dispatch for all levels, or one a level.
#include "core/passes/area_mips.h"

#include "core/error.h"

#include <algorithm>
#include <bit>

namespace gpupost {

static int taps(int side) { return side == 1 ? 1 : side % 2 == 0 ? 2 : 3; }
static int groups(int count, int each) { return (count + each - 1) / each; }

static void plan_per_level(PlanBuilder& builder, int image, int levels) {
  const Size base = builder.image(image).size;
  const bool rows = builder.traits().type == DeviceType::cpu || builder.traits().max_group_invocations < 256;
  const std::array<int, 2> group = rows ? std::array{64, 1} : std::array{16, 16};
  for (int level = 1; level < levels; ++level) {
    const Size from = level_size(base, level - 1);
    const Size to = level_size(base, level);
    builder.add({.name = fmt::format("mips level {}", level),
                 .kernel = "mips_level.glsl",
                 .literals = {{"TAPS_X", taps(from.width)}, {"TAPS_Y", taps(from.height)}, {"AMD_ORDER", rows ? 0 : 1}},
                 .values = {{"origin_x", 0},
                            {"origin_y", 0},
                            {"end_x", to.width},
                            {"end_y", to.height},
                            {"source_width", from.width},
                            {"source_height", from.height}},
                 .group = rows ? group : std::array{256, 1},
                 .group_count = {groups(to.width, group[0]), groups(to.height, group[1])},
                 .half_arithmetic = builder.input().half_arithmetic,
                 .source_image = image,
                 .source_level = level - 1,
                 .target_image = image,
                 .target_level = level});
  }
}

// How the single pass goes down: tiles make the first levels of the picture, blocks of 32x32 texels the next ones of what
// the tiles made, the last workgroup the rest.
struct Steps {
  bool is_even =
      false;      // the tiles' levels are exact halves: 64x64 texels in registers, no texel of a neighbour needed
  int tile = 0;   // levels that a tile makes
  int block = 0;  // levels that a block makes; 0: none are left
  bool has_tail = false;
};

static Steps steps_of(Size base, int levels) {
  const int even_count = std::min(std::countr_zero(unsigned(base.width)), std::countr_zero(unsigned(base.height)));
  Steps steps{.is_even = even_count >= 3};
  steps.tile = std::min(steps.is_even ? std::min(6, even_count) : 3, levels - 1);
  steps.block = std::min(4, levels - 1 - steps.tile);
  steps.has_tail = steps.tile + steps.block < levels - 1;
  return steps;
}

static constexpr int max_targets = 15;  // levels below the base of the largest picture, 32768 texels a side
// A level of the tail of so many texels goes through shared memory, larger ones through scratch memory. Of more shared
// memory fewer workgroups run at once: with 24 KiB 4096x4096 RGBA16F takes 0.128 ms on an H100, with 12 KiB 0.087.
static constexpr int tail_texels = 256;
static constexpr int block_texels = 23 * 23 + 11 * 11;  // the first two levels of a block, with those of its neighbours

// Texels of shared memory the kernel declares.
static int shared_texels(Steps steps, bool uses_quads) {
  const int most = std::max(tail_texels + tail_texels / 2, block_texels);
  if (!steps.is_even) return most;
  return std::max(most, uses_quads ? 256 + 64 + 16 + 4 : 1024 + 256 + 64 + 16 + 4);
}

// Why the device cannot run the single pass; "" where it can.
static std::string single_pass_obstacle(const DeviceTraits& traits, int levels, int shared_bytes) {
  if (traits.max_group_invocations < 256)
    return fmt::format("it needs workgroups of 256, the device has {}", traits.max_group_invocations);
  if (!traits.has_memory_model) return "it needs the Vulkan memory model, which the device lacks";
  if (traits.max_storage_images < levels - 1)
    return fmt::format("it writes {} images at once, the device allows {}", levels - 1, traits.max_storage_images);
  if (traits.shared_bytes < shared_bytes)
    return fmt::format("it needs {} bytes of shared memory, the device has {}", shared_bytes, traits.shared_bytes);
  return "";
}

// Texels that the workgroups hand on: the tiles' last level, the blocks' last level, and those below.
static size_t scratch_texels(Size base, Steps steps, int levels) {
  size_t texels = texel_count(level_size(base, steps.tile));
  for (int level = steps.tile + steps.block; level < levels; ++level) texels += texel_count(level_size(base, level));
  return texels;
}

static void plan_single_pass(PlanBuilder& builder, int image, int levels, Steps steps, bool uses_quads) {
  const Size base = builder.image(image).size;
  const auto grid = [base](int level, int side) {
    const Size size = level_size(base, level);
    return std::array{groups(size.width, side), groups(size.height, side)};
  };
  const std::array<int, 2> tiles = steps.is_even ? grid(0, 64) : grid(steps.tile, 32 >> steps.tile);
  const std::array<int, 2> blocks = grid(steps.tile + steps.block, 32 >> steps.block);
  const int counter_texels = groups(1 + blocks[0] * blocks[1], 4);  // counters of 4 bytes in texels of 16
  const bool has_scratch = steps.block > 0;
  builder.add({.name = "mips single pass",
               .kernel = steps.is_even ? "mips_even.glsl" : "mips_odd.glsl",
               .literals = {{"STEPS", steps.tile},
                            {"BLOCK_STEPS", steps.block},
                            {"TAIL", steps.has_tail},
                            {"TAIL_TEXELS", tail_texels},
                            {"SHARED_TEXELS", shared_texels(steps, uses_quads)},
                            {"QUADS", uses_quads}},
               .values = {{"width", base.width},
                          {"height", base.height},
                          {"level_count", levels},
                          {"origin_x", 0},
                          {"origin_y", 0},
                          {"tiles_x", tiles[0]},
                          {"tiles_y", tiles[1]},
                          {"texel_offset", counter_texels}},
               .group = {256, 1},
               .group_count = tiles,
               .half_arithmetic = builder.input().half_arithmetic,
               .uses_quads = uses_quads,
               .source_image = image,
               .target_image = image,
               .target_level = 1,
               .target_count = levels - 1,
               .bound_targets = builder.traits().max_storage_images > max_targets ? max_targets : levels - 1,
               .scratch_bytes = has_scratch ? 16 * (size_t(counter_texels) + scratch_texels(base, steps, levels)) : 0,
               .zeroed_bytes = has_scratch ? 16 * size_t(counter_texels) : 0});
}

void plan_area_mips(const Call& call, PlanBuilder& builder, int levels) {
  const int image = builder.current_image();
  const Size base = builder.image(image).size;
  const DeviceTraits& traits = builder.traits();
  const Steps steps = steps_of(base, levels);
  const bool uses_quads = steps.is_even && traits.has_quad;
  const int shared = shared_texels(steps, uses_quads) * (builder.input().half_arithmetic ? 8 : 16) + 16;
  const std::string obstacle = single_pass_obstacle(traits, levels, shared);
  const std::string_view method = call.choice("method");
  if (method == "single-pass" && !obstacle.empty())
    fail(Exit::usage, "mips: --method single-pass cannot run on {}: {}; expected --method per-level or auto",
         traits.name, obstacle);

  // Where sides are odd at once each tile makes its neighbours' texels again: 1919x1081 RGBA16F takes 0.064 ms on an H100, a
  // pass a level 0.055; at 1920x1080 it is 0.032 against 0.051.
  const bool on_cpu = traits.type == DeviceType::cpu;
  const bool is_fastest = !on_cpu && steps.is_even;
  const bool single = method == "single-pass" || (method == "auto" && obstacle.empty() && is_fastest);
  if (single) plan_single_pass(builder, image, levels, steps, uses_quads);
  else plan_per_level(builder, image, levels);
  const std::string why = method != "auto"    ? "asked for"
                          : single            ? "one dispatch is the fastest on a GPU"
                          : on_cpu            ? "a CPU device pays for barriers and shared memory"
                          : !obstacle.empty() ? obstacle
                                              : "tiles of odd levels cost more than passes";
  builder.note(fmt::format("mips: {}, {}", single ? "single-pass" : "per-level", why));
}
}  // namespace gpupost
