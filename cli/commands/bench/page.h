// Measurements as one page: plots and tables, nothing loaded from elsewhere.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace gpupost {

// Of runs as docs/performance.md has them; a JSON that is none throws nlohmann::json::exception.
std::string bench_page(const std::vector<nlohmann::ordered_json>& runs);

}  // namespace gpupost
