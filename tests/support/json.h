// JSON in tests. Its parser and its text are compiled once, because they are large templates.
#pragma once

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string_view>

namespace gpupost::test {

// Throws nlohmann::json::exception if `text` is not JSON.
nlohmann::json parse_json(std::string_view text);

}  // namespace gpupost::test

// The text of a value in the messages of doctest.
template <>
struct doctest::StringMaker<nlohmann::json> {
  static String convert(const nlohmann::json& value);
};
