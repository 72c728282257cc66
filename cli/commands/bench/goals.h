// `gpupost bench --goals`: the speed that gpupost aims at, per op, size and format, and what a device reaches.
#pragma once

#include "cli/commands/bench/options.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

// A goal is a ratio of medians: of a chain to its floor or, if `baseline` is given, of `baseline` to the chain.
struct Goal {
  std::string_view what;
  std::string_view chain;
  Size size;
  Depth depth = Depth::half;
  Floor floor = Floor::copy;
  double goal = 0;                 // the largest allowed ratio to the floor; with `baseline`, the least gain
  std::string_view baseline = {};  // a slower chain with the same result; empty if the goal is a ratio to the floor
};

// The measured result of a goal. If there is no ratio, `obstacle` or `failure` says why.
struct GoalResult {
  const Goal* goal = nullptr;
  Size size;                                 // smaller than the goal's with --quick
  std::string obstacle;                      // why it could not be measured
  std::string failure;                       // why its result is wrong
  double milliseconds = 0, compared_ms = 0;  // medians of the chain, and of its floor or `baseline`
  double ratio = 0;
};

// False with --quick, whose images are too small to tell.
bool is_reached(const GoalResult& result);

// The table of a run, and its JSON.
std::string goals_table(const std::vector<GoalResult>& results);
nlohmann::ordered_json to_json(const GoalResult& result);

// Every goal, in the order of measurement.
const std::vector<Goal>& all_goals();
// With --quick, each side is 1/32 as long.
GoalResult measure_goal(Gpu& gpu, const Goal& goal, const BenchRequest& request);

}  // namespace gpupost
