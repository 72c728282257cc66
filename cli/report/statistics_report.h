// Results of `stats` as JSON and as a table.
#pragma once

#include "core/pipeline/statistics_result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace gpupost {

nlohmann::ordered_json to_json(const StatisticsResult& measured);
// The text for standard output: a line of JSON, or a table.
std::string to_text(const StatisticsResult& measured);

}  // namespace gpupost
