// JSON as every verb prints and writes it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace gpupost {

// ASCII alone, so that no name of a file changes a terminal; with a line break at its end. `indent` -1: one line.
std::string json_text(const nlohmann::ordered_json& value, int indent);

}  // namespace gpupost
