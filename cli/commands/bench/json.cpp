#include "cli/commands/bench/json.h"

#include "cli/report/report.h"

#include <nlohmann/json.hpp>

namespace gpupost {

using json = nlohmann::ordered_json;

static std::string utc_text(std::time_t time) {
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

static json to_json(Size size) { return {{"width", size.width}, {"height", size.height}}; }

static void add_times(json& to, const Summary& times, size_t bytes) {
  to["min_ms"] = times.min_ms;
  to["median_ms"] = times.median_ms;
  to["max_ms"] = times.max_ms;
  to["n"] = times.count;
  to["bytes"] = bytes;
  to["gb_per_s"] = gb_per_second(bytes, times.median_ms);
}

static json to_json(const FloorResult& floor) {
  json made{{"floor", name_of(floor.floor)}, {"shape", floor.shape}};
  add_times(made, floor.times, floor.bytes);
  return made;
}

static json to_json(const VariantResult& result) {
  json made{{"variant", result.variant.text()},
            {"arguments", result.variant.arguments},
            {"fp16", result.variant.half_arithmetic},
            {"state", !result.obstacle.empty()  ? "not possible"
                      : !result.failure.empty() ? "failed"
                                                : "measured"},
            {"why", result.obstacle + result.failure}};
  if (result.worst.level > 0)
    made["nearest_to_tolerance"] = {{"level", result.worst.level},
                                    {"error", result.worst.error},
                                    {"tolerance", result.worst.tolerance},
                                    {"share", result.worst.share}};
  if (result.times.count == 0) return made;
  add_times(made, result.times, result.bytes);
  if (result.host_ms > 0) made["host_ms"] = result.host_ms;
  made["ratio"] = result.ratio;
  return made;
}

static json to_json(const BenchPlace& place) {
  const auto& [size, depth, setting] = place;
  json made{{"width", size.width}, {"height", size.height}, {"format", format_name(depth)}};
  if (setting.param.empty()) return made;
  made["setting"] = setting.text();
  made["setting_name"] = setting.param;
  made["setting_value"] = setting.value;
  return made;
}

static json to_json(const BenchCase& measured) {
  json made = to_json(measured.place);
  made["obstacle"] = measured.obstacle;
  made["verified"] = to_json(measured.verified_size);
  made["floors"] = json::array();
  made["variants"] = json::array();
  for (const FloorResult& floor : measured.floors) made["floors"].push_back(to_json(floor));
  for (const VariantResult& variant : measured.variants) made["variants"].push_back(to_json(variant));
  return made;
}

static json to_json(const ClaimResult& result) {
  const Claim& claim = *result.claim;
  json made{{"what", claim.what}, {"claimed", claim.claimed}, {"where", claim.where}};
  made.update(to_json(result.place));
  if (is_a_time(claim)) {
    made["variant"] = faster_of(claim).text();
  } else {
    made["slower"] = slower_of(claim).text();
    made["faster"] = faster_of(claim).text();
  }
  made["why"] = result.obstacle;
  if (!result.obstacle.empty()) return made;
  if (!is_a_time(claim)) {
    made["gain_percent"] = result.gain;
    return made;
  }
  made["median_ms"] = result.milliseconds;
  made["gb_per_s"] = result.gb_per_s;
  made["floor_gb_per_s"] = result.floor_gb_per_s;
  return made;
}

static json to_json(const Graph& graph) { return {{"what", graph.what}, {"where", graph.where}}; }

json to_json(const BenchRun& run) {
  json cases = json::array(), claims = json::array();
  for (const ClaimResult& claim : run.claims) claims.push_back(to_json(claim));
  for (const BenchCase& measured : run.cases) cases.push_back(to_json(measured));
  json made{{"schema", bench_schema},
            {"program", version_text()},
            {"date", utc_text(run.started)},
            {"command", run.command},
            {"device", device_json(run.device)},
            {"op", run.op},
            {"floor", name_of(run.floor)},
            {"cases", cases},
            {"documents", claims}};
  for (const Graph& graph : run.graphs) made["graphs"].push_back(to_json(graph));
  for (const GoalResult& goal : run.goals) made["goals"].push_back(to_json(goal));
  if (!run.arguments.empty()) made["arguments"] = run.arguments;
  if (!run.remark.empty()) made["remark"] = run.remark;
  return made;
}

}  // namespace gpupost
