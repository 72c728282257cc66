// Values of attributes as `gpupost info` prints them.
#include "cli/commands/attribute_value.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <string>

using namespace gpupost;
using json = nlohmann::ordered_json;

namespace {

template <class... Numbers>
json value(const char* type, Numbers... numbers) {
  Attribute attribute{.name = "a", .type = type};
  const auto append = [&](auto number) {
    uint8_t bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    attribute.value.insert(attribute.value.end(), bytes, bytes + sizeof number);
  };
  (append(numbers), ...);
  return value_of(attribute);
}

json text(const char* type, const std::string& bytes) {
  return value_of({.name = "a", .type = type, .value = {bytes.begin(), bytes.end()}});
}

}  // namespace

TEST_CASE("an attribute has the value that its type says, or none") {
  CHECK(value("int", -3) == json(-3));
  CHECK(value("float", 0.1f) == json(0.1));
  CHECK(value("double", 0.1) == json(0.1));
  CHECK(value("v3f", 1.0f, 0.5f, -2.0f) == json{1.0, 0.5, -2.0});
  CHECK(value("box2i", 0, 1, 2, 3) == json{0, 1, 2, 3});
  CHECK(value("rational", 24000, 1001) == json{24000, 1001});
  CHECK(value("rational", -1, 3000000000u) == json{-1, 3000000000u});
  CHECK(value("rational", 1).is_null());
  CHECK(value("floatvector", 0.1f, 2.0f) == json{0.1, 2.0});
  CHECK(value("floatvector", 0.1f) == json::array({0.1}));
  CHECK(text("floatvector", "") == json::array());
  CHECK(value("floatvector", uint8_t(1)).is_null());
  CHECK(value("m33d", 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0).size() == 9);
  CHECK(value("envmap", uint8_t(0)) == "latlong");
  CHECK(value("envmap", uint8_t(1)) == "cube");
  CHECK(value("timecode", 0x12345609u, 0u) == "12:34:56:09");
  CHECK(value("timecode", 0xd2b4d669u, 0u) == "12:34:56;29");  // all flags are set
  CHECK(text("string", "a\nb") == "a\nb");
  CHECK(text("stringvector", std::string("\2\0\0\0ab\1\0\0\0c", 11)) == json{"ab", "c"});
  CHECK(text("stringvector", "") == json::array());
  CHECK(text("stringvector", std::string("\2\0\0", 3)).is_null());
  CHECK(text("stringvector", std::string("\3\0\0\0ab", 6)).is_null());
  CHECK(value("float", 1.0).is_null());
  CHECK(value("timecode", 1u).is_null());
  CHECK(value("envmap", uint8_t(2)).is_null());
  CHECK(value("preview", 1, 1, 0).is_null());
}
