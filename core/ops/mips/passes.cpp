// The passes of the mip chain by area means: one dispatch for all levels, or one a level.
#include "core/ops/mips/passes.h"

#include "core/base/error.h"
#include "core/base/math.h"
#include "core/ops/mips/row.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpupost {

int first_level(const PlanBuilder& builder) { return builder.input().levels ? builder.input().levels->from : 0; }

static int taps(int side) { return side == 1 ? 1 : side % 2 == 0 ? 2 : 3; }

// --- the last levels in one workgroup ---------------------------------------------------------------------------------

namespace {

constexpr int first_rest_texels = 512;  // most texels of the first level that the workgroup makes

// Returns whether one workgroup makes all levels below a level of this size, and the device can run it. A CPU gains nothing.
bool has_rest(Size size, int levels_below, const DeviceTraits& traits) {
  constexpr int bytes = first_rest_texels * 5 / 4 * 16;
  return traits.type != DeviceType::cpu && levels_below > 0 && levels_below <= traits.max_storage_images &&
         traits.max_group_invocations >= 256 && traits.shared_bytes >= bytes &&
         texel_count(level_size(size, 1)) <= first_rest_texels &&
         4 * texel_count(level_size(size, 2)) <= first_rest_texels;
}

// All levels below `level`, which is in `image`.
void plan_rest(PlanBuilder& builder, int image, int level, int levels, int reduce) {
  constexpr int most_targets = 10;  // levels below any level for which has_rest() is true
  const Size size = level_size(builder.image(image).size, level);
  const int count = levels - level - 1;
  builder.add({.name = fmt::format("mips level {} and below", level + 1),
               .kernel = "mips/rest.glsl",
               .defines = {{"REDUCE", reduce, mips_op.param("reduce")->choices},
                           {"BLOCK_STEPS", 0},
                           {"FIRST_TEXELS", first_rest_texels},
                           {"SHARED_TEXELS", first_rest_texels * 5 / 4}},
               .values = {{"width", size.width}, {"height", size.height}, {"level_count", count + 1}},
               .arithmetic = {.is_half = builder.input().half_arithmetic},
               .source = {.image = image, .level = level},
               .target = {.image = image,
                          .level = level + 1,
                          .count = count,
                          .bound_count = std::max(count, std::min(most_targets, builder.traits().max_storage_images))},
               .access = {.is_bounded = true}});
}

}  // namespace

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
    if (joins_small && levels - level > 1 && has_rest(from, levels - level, builder.traits()))
      return plan_rest(builder, image, level - 1, levels, reduce);
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

// --- the variants of the single pass --------------------------------------------------------------------------------

namespace {

// How a workgroup takes 64x64 texels down: in which order its threads take the texels and how many a side at once, how
// they hand on their results, and how they read. The words are those of `--variant`.
struct Variant {
  bool rows = false;
  int each = 2;
  int exchange = 0;  // an index of `exchanges`
  bool linear = false;
};

struct Access {
  std::string_view name;
  bool rows;
  int each;
};
constexpr Access accesses[] = {
    {"rows-2x2", true, 2}, {"rows-4x4", true, 4}, {"amd-4x4", false, 4}, {"amd-2x2", false, 2}};

struct Exchange {
  std::string_view name;
  int subgroup_size;                   // threads that must be able to exchange numbers directly
  std::array<int, 2> shared_texels{};  // that a tile needs, with 2x2 and with 4x4 texels a thread
};
constexpr Exchange exchanges[] = {{"shared", 0, {1024 + 256 + 64 + 16 + 4, 256 + 64 + 16 + 4}},
                                  {"shared-every-4th", 0, {1024, 256}},
                                  {"shared-packed", 0, {1024, 256}},
                                  {"quad", 4, {256 + 64 + 16 + 4, 64 + 16 + 4}},
                                  {"shuffle", 16, {64, 16}}};

constexpr auto exchange_names = [] {
  std::array<std::string_view, std::size(exchanges)> names;
  for (size_t index = 0; index < names.size(); ++index) names[index] = exchanges[index].name;
  return names;
}();

constexpr std::string_view fetches[] = {"load", "linear"};
// How four texels become their mean. llvmpipe's sampler takes differences: of infinities, or numbers too far apart, there are
// none, so that what it makes is checked.
enum Linear { loaded, sampled, sampled_and_checked };
constexpr std::string_view linear_names[] = {"loaded", "sampled", "checked"};

// In rows four neighboring threads are no quad of texels: there is nothing to exchange directly.
constexpr bool makes_sense(const Access& access, const Exchange& exchange) {
  return !access.rows || exchange.subgroup_size == 0;
}

std::string name_of(const Variant& variant) {
  const auto access = std::ranges::find_if(
      accesses, [&](const Access& row) { return row.rows == variant.rows && row.each == variant.each; });
  return fmt::format("{}+{}+{}", access->name, exchanges[variant.exchange].name, fetches[variant.linear]);
}

// All variants, those of the talk first, in the order of its slides.
const std::vector<Variant>& all_variants() {
  static const std::vector<Variant> variants = [] {
    std::vector<Variant> made;
    for (const bool linear : {false, true})
      for (const Access& access : accesses)
        for (int exchange = 0; exchange < int(std::size(exchanges)); ++exchange)
          if (makes_sense(access, exchanges[exchange]))
            made.push_back({.rows = access.rows, .each = access.each, .exchange = exchange, .linear = linear});
    return made;
  }();
  return variants;
}

}  // namespace

const std::vector<std::string>& area_mips_variants() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const Variant& variant : all_variants()) made.push_back(name_of(variant));
    return made;
  }();
  return names;
}

// --- the single pass ------------------------------------------------------------------------------------------------

namespace {

// How the single pass goes down: tiles make the first levels of the picture, blocks the next ones of what the tiles made,
// the last workgroup the rest.
struct Steps {
  bool is_even = false;        // the tiles' levels are exact halves: no texel of a neighbor is needed
  int tile = 0;                // levels that a tile makes
  int block = 0;               // levels that a block makes; 0: none are left
  bool is_block_even = false;  // as in tiles; else blocks of 32x32 that take along what they need of their neighbors
  bool has_tail = false;

  int block_level() const { return tile + block; }
  int block_side() const { return (is_block_even ? 64 : 32) >> block; }  // of its last level
};

Steps steps_of(Size base, int levels) {
  const int even_count = std::min(std::countr_zero(unsigned(base.width)), std::countr_zero(unsigned(base.height)));
  Steps steps{.is_even = even_count >= 3};
  steps.tile = std::min(steps.is_even ? std::min(6, even_count) : 3, levels - 1);
  const int left = levels - 1 - steps.tile;
  steps.is_block_even = steps.tile == 6 && left > 0 && even_count - 6 >= std::min(4, left);
  steps.block = std::min(left, steps.is_block_even ? std::min(6, even_count - 6) : 4);
  steps.has_tail = steps.block < left;
  return steps;
}

constexpr int max_targets = 15;  // levels below the base of the largest picture, 32768 texels a side
constexpr int even_block_texels = 16 * 16;
constexpr int odd_block_texels = 23 * 23 + 11 * 11;  // the first two levels of a block, with those of its neighbors

// A level of the tail of so many texels goes through shared memory, larger ones through scratch memory. Of more shared
// memory fewer workgroups run at once.
int tail_texels(Steps steps) { return steps.is_block_even ? 64 : 256; }

// Texels of shared memory the kernel declares.
int shared_texels(Steps steps, Variant variant) {
  int most = steps.is_even ? exchanges[variant.exchange].shared_texels[variant.each == 4] : odd_block_texels;
  if (steps.block > 0) most = std::max(most, steps.is_block_even ? even_block_texels : odd_block_texels);
  if (steps.has_tail) most = std::max(most, tail_texels(steps) * 3 / 2);
  return most;
}

// What the single pass is to do, decided.
struct SinglePass {
  int levels = 1;
  int reduce = 0;
  Steps steps;
  Variant variant;
};

// Why the device cannot run it on such images; "" where it can.
std::string obstacle(const SinglePass& pass, const PlanInput& input, const DeviceTraits& traits) {
  if (traits.max_group_invocations < 256)
    return fmt::format("it needs workgroups of 256 threads; the device has {}", traits.max_group_invocations);
  if (!traits.has_memory_model) return "it needs the Vulkan memory model, which the device lacks";
  if (traits.max_storage_images < pass.levels - 1)
    return fmt::format("it writes {} images at once; the device allows {}", pass.levels - 1, traits.max_storage_images);
  const int texel_bytes = input.half_arithmetic ? 8 : 16;
  const int bytes = shared_texels(pass.steps, pass.variant) * texel_bytes + 16;
  if (traits.shared_bytes < bytes)
    return fmt::format("it needs {} bytes of shared memory; the device has {}", bytes, traits.shared_bytes);
  const Exchange& exchange = exchanges[pass.variant.exchange];
  if (exchange.subgroup_size > traits.subgroup.size)
    return fmt::format("exchange by {} needs subgroups of {} threads; the device has {}", exchange.name,
                       exchange.subgroup_size, traits.subgroup.size);
  if ((exchange.subgroup_size == 4 && !traits.subgroup.has_quad) ||
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
size_t scratch_texels(Size base, const SinglePass& pass) {
  size_t texels = texel_count(level_size(base, pass.steps.tile));
  for (int level = pass.steps.block_level(); level < pass.levels; ++level)
    texels += texel_count(level_size(base, level));
  return texels;
}

// Adds to a pass how its tiles are made.
void add_variant(PassSpec& pass, const Variant& variant, const DeviceTraits& traits) {
  const bool is_cpu = traits.type == DeviceType::cpu;
  pass.defines.insert(pass.defines.end(), {{"ROWS", variant.rows},
                                           {"EACH", variant.each},
                                           {"EXCHANGE", variant.exchange, exchange_names},
                                           {"LINEAR",
                                            !variant.linear ? loaded
                                            : is_cpu        ? sampled_and_checked
                                                            : sampled,
                                            linear_names}});
  pass.arithmetic.subgroup_size = exchanges[variant.exchange].subgroup_size;
  pass.access.samples_at_corners = variant.linear;
}

void plan_single_pass(PlanBuilder& builder, int image, const SinglePass& single) {
  const Size base = builder.image(image).size;
  const Steps& steps = single.steps;
  const Variant& variant = single.variant;
  const auto grid = [base](int level, int side) {
    const Size size = level_size(base, level);
    return std::array{div_ceil(size.width, side), div_ceil(size.height, side)};
  };
  const std::array<int, 2> tiles = steps.is_even ? grid(0, 64) : grid(steps.tile, 32 >> steps.tile);
  const std::array<int, 2> blocks = grid(steps.block_level(), steps.block_side());
  const int counter_texels = div_ceil(1 + blocks[0] * blocks[1], 4);  // counters of 4 bytes in texels of 16
  const bool has_scratch = steps.block > 0;
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
      .access = {.is_bounded = true},
      .memory = {.scratch_bytes = has_scratch ? 16 * (size_t(counter_texels) + scratch_texels(base, single)) : 0,
                 .zeroed_bytes = has_scratch ? 16 * size_t(counter_texels) : 0}};
  if (steps.is_even) add_variant(pass, variant, builder.traits());
  builder.add(std::move(pass));
}

// --- two passes -------------------------------------------------------------------------------------------------------

constexpr int odd_tile_steps = 3;  // levels that a tile makes without its neighbors

// Texels of level `level` of a side that a tile needs of its neighbors, for two more levels.
int halo_texels(int side, int level) {
  const auto is_odd = [side](int at) { return side >> at > 1 && (side >> at) % 2 == 1; };
  return 2 * int(is_odd(level + 1)) + int(is_odd(level));
}

// Returns whether two passes make the chain faster than a single one. There, blocks of odd levels would start after their tiles, and the
// last workgroup after the blocks. Where five levels halve evenly, the single pass is faster.
bool suits_two_passes(Size base, const SinglePass& single, const DeviceTraits& traits) {
  const Steps& steps = single.steps;
  const int made = odd_tile_steps + 2;
  return steps.is_even && steps.block > 0 && !steps.is_block_even && steps.tile < made &&
         exchanges[single.variant.exchange].name == "shuffle" && made <= traits.max_storage_images &&
         has_rest(level_size(base, made), single.levels - 1 - made, traits);
}

// Tiles make the first levels, one workgroup the rest.
void plan_two_passes(PlanBuilder& builder, int image, const SinglePass& single) {
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
  plan_rest(builder, image, made, single.levels, single.reduce);
}

}  // namespace

// --- the choice -----------------------------------------------------------------------------------------------------

namespace {

// One dispatch or one a level, and where that was decided.
struct Choice {
  bool is_single = false;
  Variant variant;     // of the single pass
  std::string source;  // "asked for"
};

Variant variant_named(std::string_view name) {
  const std::vector<std::string>& names = area_mips_variants();
  return all_variants()[size_t(std::ranges::find(names, name) - names.begin())];
}

// The table that holds where nothing was measured: the fastest on an H100 of what is exact on every device. Where sides
// are odd at once each tile makes its neighbors' texels again: 1919x1081 RGBA16F takes longer there than a pass a level.
// A sampler may round a mean of halves; of bytes it has the bits.
Choice built_in(const PlanInput& input, const DeviceTraits& traits, Steps steps) {
  const bool shuffles = traits.subgroup.has_shuffle && traits.subgroup.size >= 16;
  Variant variant = variant_named(shuffles ? "amd-2x2+shuffle+load" : "amd-2x2+shared-packed+load");
  variant.linear = input.storage == Depth::u8 && stays_rgb(input) && traits.type != DeviceType::cpu;
  if (traits.type == DeviceType::cpu) return {false, variant, "barriers and shared memory are slow on a CPU device"};
  if (!steps.is_even) return {false, variant, "tiles of odd levels cost more than separate passes"};
  return {true, variant, "one dispatch is the fastest on a GPU"};
}

// What `tune` measured on this device at the size next to this one, of those that halve as evenly.
const Tuned* tuned_for(const PlanInput& input, const DeviceTraits& traits, Steps steps) {
  const Tuned* best = nullptr;
  double best_distance = 0;
  for (const Tuned& row : traits.tuned) {
    if (row.op != mips_op.name || row.depth != input.storage || row.half_arithmetic != input.half_arithmetic) continue;
    if (steps_of(row.size, level_count_of(row.size)).is_even != steps.is_even) continue;
    const double distance =
        std::abs(std::log2(double(texel_count(row.size))) - std::log2(double(texel_count(input.size))));
    if (best && distance >= best_distance) continue;
    best = &row;
    best_distance = distance;
  }
  return best;
}

// What `auto` takes.
Choice choose(const PlanInput& input, const DeviceTraits& traits, Steps steps) {
  Choice choice = built_in(input, traits, steps);
  const Tuned* tuned = tuned_for(input, traits, steps);
  if (!tuned) return choice;
  const std::string_view word = std::string_view(tuned->arguments).substr(tuned->arguments.rfind(' ') + 1);
  const std::vector<std::string>& names = area_mips_variants();
  choice.is_single = std::ranges::find(names, word) != names.end();
  if (choice.is_single) choice.variant = variant_named(word);
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

  SinglePass single{
      .levels = levels, .reduce = call.integer("reduce"), .steps = steps_of(builder.image(image).size, levels)};
  Choice choice = choose(builder.input(), traits, single.steps);
  single.variant = choice.variant;
  if (single.reduce != 0) single.variant.linear = false;
  if (variant != "auto") single.variant = variant_named(variant);
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
