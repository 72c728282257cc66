#include "cli/commands/bench/goals.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gpupost {

const std::vector<Goal>& all_goals() {
  constexpr Size whole{4096, 4096}, hd{1920, 1080}, uhd{3840, 2160};
  constexpr auto u8 = Depth::u8, half = Depth::half, f32 = Depth::f32;
  constexpr auto copy = Floor::copy, third = Floor::third, read = Floor::read;
  constexpr std::string_view rows = "blur --radius 7 --method direct --order rows --workgroup 16x16";
  constexpr std::string_view z = "blur --radius 7 --method direct --order z --workgroup 16x16";
  constexpr std::string_view six =
      "exposure --stops 0.5 contrast --factor 1.2 offset --value 0.01 saturation --factor 1.3 gamma --value 1.1 clamp "
      "--max 4";
  static const std::vector<Goal> goals{
      {"mips", "mips", whole, half, third, 1.06},
      {"mips", "mips", whole, u8, third, 1.12},
      {"mips", "mips", whole, f32, third, 1.05},
      {"mips, odd levels exact", "mips", hd, half, third, 1.35},
      {"mips, odd levels exact", "mips", hd, u8, third, 1.5},
      {"mips", "mips", {256, 256}, half, third, 1.5},
      {"mips", "mips", {1024, 1024}, half, third, 1.35},
      {"box, radius 1", "blur --radius 1", whole, half, copy, 1.25},
      {"box, radius 7", "blur --radius 7", whole, half, copy, 1.35},
      {"box, radius 15", "blur --radius 15", whole, half, copy, 1.5},
      {"box, radius 63", "blur --radius 63", whole, half, copy, 1.7},
      {"box, radius 7", "blur --radius 7", whole, f32, copy, 1.3},
      {"box, radius 15", "blur --radius 15", whole, f32, copy, 1.4},
      {"box, radius 7", "blur --radius 7", whole, u8, copy, 1.8},
      {"gaussian, sigma 3", "blur --sigma 3", whole, half, copy, 1.9},
      {"gaussian, sigma 10", "blur --sigma 10", whole, half, copy, 1.9},
      {"gaussian, sigma 100", "blur --sigma 100", whole, half, copy, 1.9},
      {"direct box, z-curve over rows", z, whole, u8, copy, 2.5, rows},
      {"direct box, z-curve over rows", z, whole, half, copy, 2.5, rows},
      {"direct box, z-curve over rows", z, whole, f32, copy, 2.5, rows},
      {"mean, minimum and maximum", "stats --measure extremes", hd, f32, read, 1.15},
      {"mean, minimum and maximum", "stats --measure extremes", uhd, f32, read, 1.05},
      {"mean, minimum and maximum", "stats --measure extremes", whole, f32, read, 1.03},
      {"six fused point ops", six, whole, half, copy, 1.05},
      {"mips", "mips", {16384, 16384}, half, third, 1.02},
  };
  return goals;
}

bool is_reached(const GoalResult& result) {
  if (result.size != result.goal->size) return false;
  // Compared as printed, with two digits.
  const double ratio = std::round(result.ratio * 100) / 100;
  return ratio > 0 && (result.goal->baseline.empty() ? ratio <= result.goal->goal : ratio >= result.goal->goal);
}

static std::string compared_with(const Goal& goal) {
  return goal.baseline.empty() ? std::string(name_of(goal.floor)) : "row order";
}

std::string goals_table(const std::vector<GoalResult>& results) {
  std::string text = fmt::format("{:<32}{:<15}{:<9}{:>10}{:>12}  {:<23}{:>7}{:>7}  {}\n", "goal", "size", "format",
                                 "median ms", "compared ms", "with", "ratio", "goal", "reached");
  for (const GoalResult& result : results) {
    const Goal& goal = *result.goal;
    text += fmt::format("{:<32}{:<15}{:<9}", goal.what, fmt::format("{} x {}", result.size.width, result.size.height),
                        format_name(goal.depth));
    if (result.ratio == 0) text += fmt::format("  {}{}\n", result.obstacle, result.failure);
    else
      text += fmt::format("{:>10.4f}{:>12.4f}  {:<23}{:>7.2f}{:>7.2f}  {}\n", result.milliseconds, result.compared_ms,
                          compared_with(goal), result.ratio, goal.goal,
                          is_reached(result)         ? "yes"
                          : result.size == goal.size ? "no"
                                                     : "-");
  }
  if (results.empty() || results.front().size != results.front().goal->size) return text;
  const auto reached = std::ranges::count_if(results, is_reached);
  return text + fmt::format("{} of {} goals are reached\n", reached, results.size());
}

nlohmann::ordered_json to_json(const GoalResult& result) {
  const Goal& goal = *result.goal;
  nlohmann::ordered_json made{{"what", goal.what},
                              {"chain", goal.chain},
                              {"width", result.size.width},
                              {"height", result.size.height},
                              {"format", format_name(goal.depth)},
                              {"compared_with", compared_with(goal)},
                              {"goal", goal.goal},
                              {"why", result.obstacle + result.failure}};
  if (result.ratio == 0) return made;
  made["median_ms"] = result.milliseconds;
  made["compared_ms"] = result.compared_ms;
  made["ratio"] = result.ratio;
  made["reached"] = is_reached(result);
  return made;
}

// Median of a chain, and of its floor if `compared_ms` is given.
static double median_of(Gpu& gpu, std::string_view chain, const BenchRequest& request, GoalResult& result,
                        double* compared_ms) {
  const Goal& goal = *result.goal;
  const std::span<const Floor> floors(&goal.floor, compared_ms ? 1 : 0);
  const Variant variant{.arguments = "fused"};
  const BenchCase measured = bench(gpu, chain_of(std::string(chain)), {&variant, 1},
                                   {.size = result.size, .depth = goal.depth}, request.options, floors);
  result.obstacle += measured.obstacle;
  for (const VariantResult& found : measured.variants) {
    result.obstacle += found.obstacle;
    result.failure += found.failure;
  }
  if (!result.obstacle.empty() || !result.failure.empty()) return 0;
  if (compared_ms) *compared_ms = measured.floors.front().times.median_ms;
  return measured.variants.front().times.median_ms;
}

GoalResult measure_goal(Gpu& gpu, const Goal& goal, const BenchRequest& request) {
  const int divisor = request.quick ? 32 : 1;
  GoalResult result{.goal = &goal, .size = {goal.size.width / divisor, goal.size.height / divisor}};
  const bool has_baseline = !goal.baseline.empty();
  result.milliseconds = median_of(gpu, goal.chain, request, result, has_baseline ? nullptr : &result.compared_ms);
  if (has_baseline && result.milliseconds > 0)
    result.compared_ms = median_of(gpu, goal.baseline, request, result, nullptr);
  if (result.milliseconds > 0 && result.compared_ms > 0)
    result.ratio = has_baseline ? result.compared_ms / result.milliseconds : result.milliseconds / result.compared_ms;
  return result;
}

}  // namespace gpupost
