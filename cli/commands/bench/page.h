// Writes measurements as one HTML page with plots and tables. The page loads nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace gpupost {

// Makes the page from JSON of runs. Invalid JSON throws nlohmann::json::exception.
std::string bench_page(const std::vector<nlohmann::ordered_json>& runs);

}  // namespace gpupost
