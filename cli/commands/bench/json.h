// What was measured, as JSON: docs/performance.md has the schema.
#pragma once

#include "core/engine/claims.h"

#include <nlohmann/json_fwd.hpp>

#include <ctime>
#include <string>
#include <vector>

namespace gpupost {

inline constexpr std::string_view bench_schema = "gpupost-bench-1";

// One run of `bench`.
struct BenchRun {
  std::string command;  // as it was typed
  std::time_t started = std::time(nullptr);
  std::string op;
  Floor floor = Floor::copy;  // that ratios are of
  DeviceInfo device;
  std::vector<BenchCase> cases;
  std::vector<ClaimResult> claims;  // of --documents, and so are
  std::vector<Graph> graphs;
  std::string_view remark;
};

nlohmann::ordered_json to_json(const BenchRun& run);

}  // namespace gpupost
