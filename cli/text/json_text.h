// Formats JSON for all verbs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace gpupost {

// Only ASCII, so that file names cannot control a terminal. Ends with a line break. `indent` -1: one line.
std::string json_text(const nlohmann::ordered_json& value, int indent);

}  // namespace gpupost
