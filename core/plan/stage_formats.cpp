#include "core/plan/stage_formats.h"

#include <algorithm>

namespace gpupost {

bool fuses_across(const Stage& next, const PlanInput& input) {
  const auto first = std::ranges::find_if_not(next.calls, is_identity);
  if (!input.fuses || first == next.calls.end()) return false;
  const bool is_measured_first = !next.measurements.empty() && next.measurements.front().calls_before == 0;
  return !is_measured_first && !has_passes(*first);
}

// Returns whether the stage makes a new image. Levels are in the image of level 0.
static bool makes_image(const Stage& stage, PlanInput input, const DeviceTraits& traits) {
  return !stage.makes_levels && !plan_of_any_size(stage.calls, input, traits).keeps_level_0;
}

std::vector<StageFormats> formats_of(std::span<const Stage> stages, const PlanInput& input,
                                     const DeviceTraits& traits) {
  const StoredFormat outer{input.ends.result}, between{input.between, input.is_r11g11b10_between};
  std::vector<StageFormats> formats(stages.size(), {outer, outer});
  if (between == outer) return formats;
  PlanInput before = input;
  std::vector<bool> makes;
  for (const Stage& stage : stages) {
    makes.push_back(makes_image(stage, before, traits));
    before.size = stage.size;
  }
  const auto last = size_t(std::ranges::find(makes.rbegin(), makes.rend(), true).base() - makes.begin());
  StoredFormat current = outer;
  for (size_t index = 0; index < stages.size(); ++index) {
    formats[index].begin = current;
    const bool is_last = index + 1 >= last;
    // texels are moved before the point op that the planner fuses with them
    const bool waits = !is_last && stages[index].moves && fuses_across(stages[index + 1], input);
    if (makes[index] && !waits) current = is_last ? outer : between;
    formats[index].end = current;
  }
  return formats;
}

}  // namespace gpupost
