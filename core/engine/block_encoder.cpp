#include "core/engine/block_encoder.h"

#include "core/base/math.h"
#include "core/codec/blocks/kernel_table.h"

#include <algorithm>

namespace gpupost {

static constexpr std::string_view p_bits_names[] = {"none", "own", "shared"};  // bc7::PBits

Plan plan_of_blocks(BlockFormat format, Size size, const DeviceTraits& traits) {
  if (!has_block_kernel(format)) fail(Exit::bug, "no kernel encodes this format of blocks");
  const Size blocks{div_ceil(size.width, block_side), div_ceil(size.height, block_side)};
  const std::array group{8, 8};
  const bool is_bc6h = format == BlockFormat::bc6h;
  KernelTable table = is_bc6h ? bc6h_table() : bc7_table();
  Plan plan{
      .images = {{.size = size, .depth = is_bc6h ? Depth::half : Depth::u8}, {.size = blocks, .depth = Depth::f32}},
      .result_image = 1};
  Pass pass(
      PassSpec{.name = is_bc6h ? "encode bc6h" : "encode bc7",
               .kernel = is_bc6h ? "blocks/bc6h.glsl" : "blocks/bc7.glsl",
               .defines = {{"P_BITS", 0, p_bits_names}},
               .values = {{"end_x", size.width}, {"end_y", size.height}},
               .table = std::move(table.numbers),
               .grid = {.group = group, .count = {div_ceil(blocks.width, group[0]), div_ceil(blocks.height, group[1])}},
               .arithmetic = {.is_exact = true},
               .source = {.image = 0},
               .target = {.image = 1},
               .access = {.reads_words = true},
               .memory = {.bytes_read = bytes_of(plan.images[0]), .bytes_written = bytes_of(plan.images[1])}});
  for (const auto& [name, value] : table.constants) pass.defines.push_back({name, value});
  pass.words.source = is_bc6h ? Words::halves4 : Words::bytes4;
  if (traits.has_image_buffers) pass.words.targets = {Words::floats4};
  else {
    pass.words.samples_source = true;
    pass.half_targets = {false};  // stores bits
  }
  plan.passes.push_back(std::move(pass));
  plan.keeps_level_0 = false;
  return plan;
}

void encode_blocks_on(Gpu& gpu, BlockFormat format, const Level& level, std::span<std::byte> blocks) {
  const Plan plan = plan_of_blocks(format, level.size, gpu.info().traits);
  const RunResult result = gpu.run(plan, level, 0);
  std::ranges::copy(result.levels.front().texels.bytes(), blocks.begin());
}

}  // namespace gpupost
