// Results of `gpupost bench` as JSON. docs/performance.md describes the schema.
#pragma once

#include "cli/commands/bench/goals.h"
#include "core/engine/claims.h"

#include <nlohmann/json_fwd.hpp>

#include <ctime>
#include <string>
#include <vector>

namespace gpupost {

inline constexpr std::string_view bench_schema = "gpupost-bench-1";

// One run of `gpupost bench`.
struct BenchRun {
  std::string command;  // the command line
  std::time_t started = std::time(nullptr);
  std::string op;
  std::string arguments;      // options of each variant
  Floor floor = Floor::copy;  // floor of the ratios
  DeviceInfo device;
  std::vector<BenchCase> cases;
  std::vector<ClaimResult> claims;  // the rest is for --documents
  std::vector<Graph> graphs;
  std::string_view remark;
  std::vector<GoalResult> goals;  // with --goals
};

nlohmann::ordered_json to_json(const BenchRun& run);

}  // namespace gpupost
