// Results of `stats` as JSON and as a table.
#pragma once

#include "core/pipeline/statistics_result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpupost {

nlohmann::ordered_json to_json(const StatisticsResult& measured);
// The text for standard output: a line of JSON, or a table.
std::string to_text(const StatisticsResult& measured);

// What a line of JSON says about the luminance of an image.
struct MeasuredLight {
  std::string input;
  std::optional<int64_t> frame;
  std::optional<std::vector<std::string>> before;  // ops before `stats`; empty if the line does not tell
  Statistics statistics;                           // only log_average, 0 for a black image, and histogram
};

// Parses a line that to_text() has made. Empty if it is not such a line, or has no luminance.
std::optional<MeasuredLight> measured_light_of(std::string_view line);

}  // namespace gpupost
