#include "cli/text/json_text.h"

#include <nlohmann/json.hpp>

namespace gpupost {

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpupost
