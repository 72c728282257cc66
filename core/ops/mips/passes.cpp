#include "core/ops/mips/passes.h"

#include "core/ops/bleed/passes.h"
#include "core/ops/mips/area_passes.h"
#include "core/ops/mips/coverage_passes.h"
#include "core/ops/mips/reference.h"
#include "core/ops/shared/filter_passes.h"

#include <optional>

namespace gpupost {

// Rows come before columns at every level, so that tiles, which do not know the size of level 0, take the same order.
static void plan_steps(const Call& call, PlanBuilder& builder, const std::vector<FilterStep>& steps) {
  plan_filter(builder, steps, mips_filtering(call), true);
  builder.note("mips: per-level, because a filter needs two passes per level");
}

static void plan_filtered_mips(const Call& call, PlanBuilder& builder, int levels) {
  const int image = builder.current_image();
  const Size base = builder.image(image).size;
  const int first = first_level(builder);
  std::vector<FilterStep> steps;
  for (int level = 1; level < levels; ++level) {
    const int from = call.flag("from-base") ? 0 : level - 1;
    steps.push_back({.name = fmt::format("mips level {}", first + level),
                     .source_image = image,
                     .source_level = from,
                     .from = level_size(base, from),
                     .target_image = image,
                     .target_level = level,
                     .to = level_size(base, level)});
  }
  plan_steps(call, builder, steps);
}

// Makes a region of a level as an image of its own, from a tile of the level above.
static void plan_filtered_tile(const Call& call, PlanBuilder& builder, int level) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const Size from = builder.whole_size(), to = level_size(from, 1);
  const Region made = builder.made_of(to);
  const int target = builder.add_image({.size = made.size, .depth = image.depth});
  plan_steps(call, builder,
             {{.name = fmt::format("mips level {}", level),
               .source_image = source,
               .from = from,
               .target_image = target,
               .to = to,
               .source = {.corner = builder.input().corner, .size = image.size},
               .target = made}});
  builder.set_current_image(target);
}

// Fills every level in a new image.
static void plan_bled_levels(PlanBuilder& builder) {
  const int source = builder.current_image();
  const PlanImage image = builder.image(source);
  const int target = builder.add_image({.size = image.size, .depth = image.depth, .level_count = image.level_count});
  for (int level = 0; level < image.level_count; ++level) {
    PassSpec pass = plan_bled_level(builder, {.image = source, .level = level});
    pass.name += fmt::format(" level {}", level);
    pass.target.image = target;
    pass.target.level = level;
    pass.access.can_be_in_place = false;
    builder.add(std::move(pass));
  }
  builder.set_current_image(target);
}

void plan_mips(const Call& call, PlanBuilder& builder) {
  const std::optional<LevelRange>& range = builder.input().levels;
  using Part = LevelRange::Part;
  if (range && range->part == Part::count)
    return plan_coverage_count(builder, range->from == 0, call.number("coverage"));
  if (range && range->part == Part::scale) return plan_coverage_scale(builder);
  const bool makes_one = range && range->part == Part::next;
  if (makes_one && !makes_area_means(call)) return plan_filtered_tile(call, builder, range->from + 1);
  PlanImage& image = builder.image(builder.current_image());
  const int levels = image.level_count = makes_one ? 2 : mip_level_count(call, image.size, first_level(builder));
  if (levels == 1) builder.note("mips: the image is its only level");
  else if (makes_area_means(call)) plan_area_mips(call, builder, levels);
  else plan_filtered_mips(call, builder, levels);
  if (const double coverage = call.number("coverage"); levels > 1 && coverage > 0 && !range)
    plan_coverage(builder, coverage);
  if (call.flag("bleed")) plan_bled_levels(builder);
}

}  // namespace gpupost
