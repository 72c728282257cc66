// Formats JSON for all verbs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace gpupost {

// Only ASCII, so that file names cannot control a terminal. Ends with a line break. `indent` -1: one line.
std::string json_text(const nlohmann::ordered_json& value, int indent);

// Adds the name of a file. If it is not UTF-8, its bytes are \xNN, and `key`_bytes has all of its bytes as numbers.
void add_name(nlohmann::ordered_json& object, const std::string& key, const std::string& name);
// The same for a list of names. `key`_bytes has the bytes of all names, if one is not UTF-8.
void add_names(nlohmann::ordered_json& object, const std::string& key, const std::vector<std::string>& names);

}  // namespace gpupost
