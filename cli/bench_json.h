// What was measured, as JSON: docs/bench.md has the schema.
#pragma once

#include "core/gpu/bench.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gpupost {

inline constexpr std::string_view bench_schema = "gpupost-bench-1";

// What a device gives of a claim, on one picture.
struct ClaimResult {
  const Claim* claim = nullptr;
  Size size;
  Depth depth = Depth::half;
  std::string obstacle;  // why it could not be measured; "": it was
  double gain = 0;       // per cent
};

// One run of `bench`.
struct BenchRun {
  std::string command;  // as it was typed
  std::string op;
  Floor floor = Floor::copy;  // that ratios are of
  DeviceInfo device;
  std::vector<BenchCase> cases;
  std::vector<ClaimResult> claims;  // of --documents
};

nlohmann::ordered_json to_json(const BenchRun& run);

}  // namespace gpupost
