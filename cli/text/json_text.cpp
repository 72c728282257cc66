#include "cli/text/json_text.h"

#include "core/base/printable.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace gpupost {

using json = nlohmann::ordered_json;

static std::vector<uint8_t> byte_numbers(const std::string& name) { return {name.begin(), name.end()}; }

std::string json_text(const json& value, int indent) {
  return value.dump(indent, ' ', true, json::error_handler_t::replace) + "\n";
}

void add_name(json& object, const std::string& key, const std::string& name) {
  object[key] = json_name(name);
  if (!is_utf8(name)) object[key + "_bytes"] = byte_numbers(name);
}

void add_names(json& object, const std::string& key, const std::vector<std::string>& names) {
  json texts = json::array(), bytes = json::array();
  std::ranges::transform(names, std::back_inserter(texts), json_name);
  std::ranges::transform(names, std::back_inserter(bytes), byte_numbers);
  object[key] = std::move(texts);
  if (!std::ranges::all_of(names, is_utf8)) object[key + "_bytes"] = std::move(bytes);
}

}  // namespace gpupost
