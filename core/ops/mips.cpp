// The mip chain of a picture: its row, its definition in double, and its passes.
#include "core/error.h"
#include "core/ops/ops.h"
#include "core/plan.h"

#include <algorithm>
#include <bit>

namespace gpupost {

// --- the definition -------------------------------------------------------------------------------------------------

// Weights of the texels 2i, 2i+1, 2i+2 of a side of n in texel i of the next level. Each texel of the side counts the
// same in the whole level: the area weights of NVIDIA's report on non-power-of-two mip maps.
static std::array<double, 3> area_weights(int n, int i) {
  if (n == 1) return {1, 0, 0};
  if (n % 2 == 0) return {0.5, 0.5, 0};
  const double m = n / 2;
  return {(m - i) / n, m / n, (i + 1) / double(n)};
}

static Plane halve(const Plane& from) {
  Plane to{.size = level_size(from.size, 1), .values = {}};
  to.values.reserve(texel_count(to.size));
  for (int y = 0; y < to.size.height; ++y) {
    const auto rows = area_weights(from.size.height, y);
    for (int x = 0; x < to.size.width; ++x) {
      const auto columns = area_weights(from.size.width, x);
      double sum = 0;
      for (int dy = 0; dy < 3; ++dy)
        for (int dx = 0; dx < 3; ++dx)
          if (rows[size_t(dy)] > 0 && columns[size_t(dx)] > 0)
            sum += rows[size_t(dy)] * columns[size_t(dx)] *
                   from.values[size_t(2 * y + dy) * size_t(from.size.width) + size_t(2 * x + dx)];
      to.values.push_back(sum);
    }
  }
  return to;
}

static int level_count(const Call& call, Size size) {
  const int wanted = call.integer("levels");
  return wanted == 0 ? level_count_of(size) : std::min(wanted, level_count_of(size));
}

static std::vector<Plane> reference(const Call& call, const Plane& base) {
  std::vector<Plane> levels{base};
  while (int(levels.size()) < level_count(call, base.size)) levels.push_back(halve(levels.back()));
  return levels;
}

// --- the passes -----------------------------------------------------------------------------------------------------

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
                 .values = {{"origin_x", 0}, {"origin_y", 0}, {"end_x", to.width}, {"end_y", to.height},
                            {"source_width", from.width}, {"source_height", from.height}},
                 .group = rows ? group : std::array{256, 1},
                 .group_count = {groups(to.width, group[0]), groups(to.height, group[1])},
                 .half_arithmetic = builder.input().half_arithmetic,
                 .source_image = image,
                 .source_level = level - 1,
                 .target_image = image,
                 .target_level = level});
  }
}

// How the single pass goes down its 64x64 tiles.
struct TileSteps {
  bool is_even = false;  // every level the tile makes is the exact half of the one above: no texel of a neighbour needed
  int count = 0;         // levels a tile makes by itself; the last workgroup makes the rest
};

// Where at least three levels halve evenly, registers and quads do them. Else the tile takes the texels of its
// neighbours that the odd levels need along, at most 15 a side (79x79 for 64x64).
static TileSteps tile_steps(Size base, int levels) {
  const int even_count = std::min(std::countr_zero(unsigned(base.width)), std::countr_zero(unsigned(base.height)));
  if (even_count >= 3) return {.is_even = true, .count = std::min({6, even_count, levels - 1})};
  return {.is_even = false, .count = std::min(4, levels - 1)};
}

static constexpr int max_targets = 15;     // levels below the base of the largest picture, 32768 texels a side
// A level of so many texels goes through shared memory in the last workgroup, larger ones through scratch memory. Of more
// shared memory fewer workgroups run at once: 1024 takes 0.128 ms for 4096x4096 RGBA16F on an H100, 256 takes 0.085.
static constexpr int tail_texels = 256;
static constexpr int halo_texels = 39 * 39 + 19 * 19;

// Texels of shared memory the kernel declares.
static int shared_texels(TileSteps steps, bool uses_quads) {
  const int tail = tail_texels + tail_texels / 2;
  if (!steps.is_even) return std::max(tail, halo_texels);
  return std::max(tail, uses_quads ? 256 + 64 + 16 + 4 : 1024 + 256 + 64 + 16 + 4);
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

// Scratch memory: a counter and its padding, then the levels from the tiles' last one down, 16 bytes a texel.
static size_t scratch_bytes(Size base, int first_level, int levels) {
  size_t texels = 0;
  for (int level = first_level; level < levels; ++level) texels += texel_count(level_size(base, level));
  return 16 + 16 * texels;
}

static void plan_single_pass(PlanBuilder& builder, int image, int levels, TileSteps steps, bool uses_quads) {
  const Size base = builder.image(image).size;
  const Size last = level_size(base, steps.count);
  const int step_side = 64 >> steps.count;
  const bool has_tail = steps.count < levels - 1;
  const std::array<int, 2> group_count =
      steps.is_even ? std::array{groups(base.width, 64), groups(base.height, 64)}
                    : std::array{groups(last.width, step_side), groups(last.height, step_side)};
  const int bound = builder.traits().max_storage_images > max_targets ? max_targets : levels - 1;
  builder.add({.name = "mips single pass",
               .kernel = steps.is_even ? "mips_even.glsl" : "mips_odd.glsl",
               .literals = {{"STEPS", steps.count}, {"TAIL", has_tail}, {"TAIL_TEXELS", tail_texels},
                            {"SHARED_TEXELS", shared_texels(steps, uses_quads)}, {"QUADS", uses_quads}},
               .values = {{"width", base.width}, {"height", base.height}, {"level_count", levels},
                          {"origin_x", 0}, {"origin_y", 0}, {"group_count", group_count[0] * group_count[1]}},
               .group = {256, 1},
               .group_count = group_count,
               .half_arithmetic = builder.input().half_arithmetic,
               .uses_quads = uses_quads,
               .source_image = image,
               .target_image = image,
               .target_level = 1,
               .target_count = levels - 1,
               .bound_targets = bound,
               .scratch_bytes = has_tail ? scratch_bytes(base, steps.count, levels) : 0});
}

static void plan_mips(const Call& call, PlanBuilder& builder) {
  const int image = builder.current_image();
  const Size base = builder.image(image).size;
  const int levels = level_count(call, base);
  builder.image(image).level_count = levels;
  if (levels == 1) return builder.note("mips: the picture is its own only level");

  const DeviceTraits& traits = builder.traits();
  const TileSteps steps = tile_steps(base, levels);
  const bool uses_quads = steps.is_even && traits.has_quad;
  const int shared = shared_texels(steps, uses_quads) * (builder.input().half_arithmetic ? 8 : 16) + 16;
  const std::string obstacle = single_pass_obstacle(traits, levels, shared);
  const std::string_view method = call.choice("method");
  if (method == "single-pass" && !obstacle.empty())
    fail(Exit::usage, "mips: --method single-pass cannot run on {}: {}; expected --method per-level or auto", traits.name,
         obstacle);

  // What the tiles leave to the last workgroup goes through one processor: 240x135 texels of 1920x1080 take it 75 us, where
  // a pass a level takes 44 us in all (H100).
  const bool on_cpu = traits.type == DeviceType::cpu;
  const bool has_long_tail = texel_count(level_size(base, steps.count)) > 4096 && steps.count < levels - 1;
  const bool single = method == "single-pass" || (method == "auto" && obstacle.empty() && !on_cpu && !has_long_tail);
  if (single) plan_single_pass(builder, image, levels, steps, uses_quads);
  else plan_per_level(builder, image, levels);
  const std::string why = method != "auto" ? "asked for"
                          : single         ? "one dispatch is the fastest on a GPU"
                          : on_cpu         ? "a CPU device pays for barriers and shared memory"
                          : has_long_tail  ? "at this size one workgroup would be left with too much"
                                           : obstacle;
  builder.note(fmt::format("mips: {}, {}", single ? "single-pass" : "per-level", why));
}

// --- the row --------------------------------------------------------------------------------------------------------

const Op mips_op{
    .name = "mips",
    .help = "the whole mip chain, in one dispatch on a GPU",
    .description =
        "W x H texels become 1 + floor(log2(max(W, H))) levels, each max(1, floor(side / 2)) of the one above. Even sides "
        "average two texels, odd ones three by area, so that every texel counts the same at every level. Pictures are "
        "averaged in linear light with premultiplied alpha; all channels of the file get their levels (uint channels take "
        "the nearest texel). Level 0 is the input, bit for bit where the depth stays. With --fp16 even levels are summed in "
        "half, scaled before they are added; odd ones in float.",
    .source = "L. Kramer, Optimizing for the Radeon RDNA Architecture, 2020 (single pass); NVIDIA, Non-Power-of-Two Mipmap "
              "Creation, 2005 (area weights)",
    .params = {{.name = "method",
                .help = "one dispatch for all levels, or one a level",
                .kind = ParamKind::choice,
                .choices = {"auto", "single-pass", "per-level"}},
               {.name = "levels",
                .help = "levels with the base; 0: down to 1 x 1",
                .kind = ParamKind::integer,
                .def = 0,
                .min = 0,
                .max = 16}},
    .makes_levels = true,
    .every_channel = true,
    .examples = {"", "--method single-pass", "--method per-level", "--levels 3", "--levels 1",
                 "--method single-pass --levels 2", "--method single-pass --levels 6"},
    .level_count = level_count,
    .reference = reference,
    .plan = plan_mips,
};

}  // namespace gpupost
