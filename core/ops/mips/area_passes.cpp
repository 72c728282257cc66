// The passes of the mip chain by area means: one dispatch for all levels, two, or one a level.
#include "core/ops/mips/area_passes.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/ops/mips/last_levels.h"
#include "core/ops/mips/row.h"
#include "core/ops/mips/two_passes.h"

#include <algorithm>
#include <cmath>

namespace gpupost {

int first_level(const PlanBuilder& builder) { return builder.input().levels ? builder.input().levels->from : 0; }

static int taps(int side) { return side == 1 ? 1 : side % 2 == 0 ? 2 : 3; }

// `image` holds the picture at its level 0 and takes the other levels. With `joins_small`, one workgroup makes the last levels.
static void plan_per_level(PlanBuilder& builder, int image, int levels, int reduce, bool joins_small) {
  const Size base = builder.image(image).size, whole = builder.whole_size();
  const Position corner = builder.input().corner;
  const int first = first_level(builder);
  const bool rows = builder.traits().type == DeviceType::cpu || builder.traits().max_group_invocations < 256;
  const std::array<int, 2> group = rows ? std::array{64, 1} : std::array{16, 16};
  for (int level = 1; level < levels; ++level) {
    const Size from = level_size(whole, level - 1);
    const Size to = level_size(base, level);
    if (joins_small && levels - level > 1 && suits_last_levels(from, levels - level, builder.traits()))
      return plan_last_levels(builder, image, level - 1, levels, reduce);
    builder.add({.name = fmt::format("mips level {}", first + level),
                 .kernel = "mips/level.glsl",
                 .defines = {{"TAPS_X", taps(from.width)},
                             {"TAPS_Y", taps(from.height)},
                             {"AMD_ORDER", rows ? 0 : 1},
                             {"REDUCE", reduce, mips_op.param("reduce")->choices}},
                 .values = {{"origin_x", 0},
                            {"origin_y", 0},
                            {"end_x", to.width},
                            {"end_y", to.height},
                            {"source_width", from.width},
                            {"source_height", from.height},
                            {"first_x", corner.x / 2},
                            {"first_y", corner.y / 2}},
                 .grid = {.group = rows ? group : std::array{256, 1},
                          .count = {div_ceil(to.width, group[0]), div_ceil(to.height, group[1])}},
                 .arithmetic = {.is_half = builder.input().half_arithmetic},
                 .source = {.image = image, .level = level - 1},
                 .target = {.image = image, .level = level},
                 .access = {.is_bounded = true}});
  }
}

namespace {

// One dispatch or one a level, and where that was decided.
struct Choice {
  bool is_single = false;
  MipsVariant variant;  // of the single pass
  std::string source;   // "asked for"
};

// The table that holds where nothing was measured: the fastest on an H100 of what is exact on every device. Where sides
// are odd at once each tile makes its neighbors' texels again: 1919x1081 RGBA16F takes longer there than a pass a level.
// A sampler may round a mean of halves; of bytes it has the bits.
Choice built_in(const PlanInput& input, const DeviceTraits& traits, MipsSteps steps) {
  const bool shuffles = traits.subgroup.has_quad && traits.subgroup.has_shuffle && traits.subgroup.size >= 16;
  MipsVariant variant = mips_variant(shuffles ? "amd-2x2+shuffle+load" : "amd-2x2+shared-packed+load");
  variant.linear = input.storage == Depth::u8 && stays_rgb(input) && traits.type != DeviceType::cpu;
  if (traits.type == DeviceType::cpu) return {false, variant, "barriers and shared memory are slow on a CPU device"};
  if (!steps.is_even) return {false, variant, "tiles of odd levels cost more than separate passes"};
  return {true, variant, "one dispatch is the fastest on a GPU"};
}

// The result of `tune` on this device for the nearest size that halves as evenly; nullptr if there is none.
const Tuned* tuned_for(const PlanInput& input, const DeviceTraits& traits, MipsSteps steps) {
  const Tuned* best = nullptr;
  double best_distance = 0;
  for (const Tuned& row : traits.tuned) {
    if (row.op != mips_op.name || row.depth != input.storage || row.half_arithmetic != input.half_arithmetic) continue;
    if (mips_steps(row.size, level_count_of(row.size)).is_even != steps.is_even) continue;
    const double distance =
        std::abs(std::log2(double(texel_count(row.size))) - std::log2(double(texel_count(input.size))));
    if (best && distance >= best_distance) continue;
    best = &row;
    best_distance = distance;
  }
  return best;
}

// The choice of `auto`.
Choice choose(const PlanInput& input, const DeviceTraits& traits, MipsSteps steps) {
  Choice choice = built_in(input, traits, steps);
  const Tuned* tuned = tuned_for(input, traits, steps);
  if (!tuned) return choice;
  const std::string_view word = std::string_view(tuned->arguments).substr(tuned->arguments.rfind(' ') + 1);
  const std::vector<std::string>& names = mips_variant_names();
  choice.is_single = std::ranges::find(names, word) != names.end();
  if (choice.is_single) choice.variant = mips_variant(word);
  choice.source =
      fmt::format("the fastest at {} x {} on this device, by `gpupost tune`", tuned->size.width, tuned->size.height);
  return choice;
}

}  // namespace

void plan_area_mips(const Call& call, PlanBuilder& builder, int levels) {
  const int image = builder.current_image();
  const DeviceTraits& traits = builder.traits();
  const std::string_view method = call.choice("method"), variant = call.choice("variant");
  if (method == "per-level" && variant != "auto")
    fail(Exit::usage,
         "mips: --variant {} is for the single pass and has no effect with --method per-level; leave one out", variant);

  MipsSinglePass single{
      .levels = levels, .reduce = call.integer("reduce"), .steps = mips_steps(builder.image(image).size, levels)};
  Choice choice = choose(builder.input(), traits, single.steps);
  single.variant = choice.variant;
  if (single.reduce != 0) single.variant.linear = false;
  if (variant != "auto") single.variant = mips_variant(variant);
  const bool is_asked_for = method != "auto" || variant != "auto";
  if (builder.input().levels && !is_asked_for) choice = {false, {}, "the image is tiled"};
  if (is_asked_for) choice = {method != "per-level", single.variant, "asked for"};

  if (const std::string why = obstacle(single, builder.input(), traits); choice.is_single && !why.empty()) {
    if (is_asked_for)
      fail(Exit::usage, "mips: {} cannot run on {}: {}; expected --method per-level or auto",
           variant != "auto" ? fmt::format("--variant {}", variant) : "--method single-pass", traits.name, why);
    choice = {false, {}, why};
  }
  const bool is_auto = !is_asked_for && !builder.input().levels;
  const bool is_two = is_auto && choice.is_single && suits_two_passes(builder.image(image).size, single, traits);
  if (is_two) choice.source = "the fastest on a GPU where sides become odd";
  if (is_two) plan_two_passes(builder, image, single);
  else if (choice.is_single) plan_single_pass(builder, image, single);
  else plan_per_level(builder, image, levels, single.reduce, is_auto);
  std::string how = is_two ? "two passes" : choice.is_single ? "single-pass" : "per-level";
  if (choice.is_single && single.steps.is_even) how += " " + name_of(single.variant);
  builder.note(fmt::format("mips: {}, {}", how, choice.source));
}

}  // namespace gpupost
