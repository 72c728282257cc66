#include "tests/support/json.h"

nlohmann::json gpupost::test::parse_json(std::string_view text) { return nlohmann::json::parse(text); }

doctest::String doctest::StringMaker<nlohmann::json>::convert(const nlohmann::json& value) {
  return value.dump().c_str();
}
