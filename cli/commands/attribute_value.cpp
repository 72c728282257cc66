#include "cli/commands/attribute_value.h"

#include "core/codec/common/bytes.h"
#include "core/image/attributes.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>

namespace gpupost {

namespace {

using json = nlohmann::ordered_json;

enum class NumberKind { integer, real, wide_real };

struct NumberType {
  std::string_view name;
  NumberKind kind;
  size_t count;  // 0: any number
};

// OpenEXR, "Predefined Attribute Types". A box is its first and last corner.
constexpr NumberType number_types[] = {
    {"int", NumberKind::integer, 1},      {"float", NumberKind::real, 1},
    {"double", NumberKind::wide_real, 1}, {"v2i", NumberKind::integer, 2},
    {"v2f", NumberKind::real, 2},         {"v2d", NumberKind::wide_real, 2},
    {"v3i", NumberKind::integer, 3},      {"v3f", NumberKind::real, 3},
    {"v3d", NumberKind::wide_real, 3},    {"box2i", NumberKind::integer, 4},
    {"box2f", NumberKind::real, 4},       {"floatvector", NumberKind::real, 0},
    {"keycode", NumberKind::integer, 7},  {"chromaticities", NumberKind::real, 8},
    {"m33f", NumberKind::real, 9},        {"m33d", NumberKind::wide_real, 9},
    {"m44f", NumberKind::real, 16},       {"m44d", NumberKind::wide_real, 16},
};

// A float with the digits that it needs, in place of those of the same double.
double shortest(float number) { return std::strtod(fmt::format("{}", number).c_str(), nullptr); }

json number(Bytes bytes, NumberKind kind, size_t index) {
  if (kind == NumberKind::integer) return little_at<int32_t>(bytes, 4 * index);
  return kind == NumberKind::real ? shortest(little_at<float>(bytes, 4 * index)) : little_at<double>(bytes, 8 * index);
}

json numbers(Bytes bytes, const NumberType& type) {
  const size_t size = type.kind == NumberKind::wide_real ? 8 : 4;
  const size_t count = type.count > 0 ? type.count : bytes.size() / size;
  if (bytes.size() != size * count) return {};
  if (type.count == 1) return number(bytes, type.kind, 0);
  json list = json::array();
  for (size_t index = 0; index < count; ++index) list.push_back(number(bytes, type.kind, index));
  return list;
}

// The numerator and the denominator.
json rational(Bytes bytes) {
  if (bytes.size() != 8) return {};
  return {little_at<int32_t>(bytes, 0), little_at<uint32_t>(bytes, 4)};
}

json texts(Bytes bytes) {
  const auto list = string_vector(bytes);
  return list ? json(*list) : json();
}

// SMPTE 12M: hours, minutes, seconds and frame as decimal digits of four bits, with flags between them.
json timecode(Bytes bytes) {
  if (bytes.size() != 8) return {};
  const auto word = little_at<uint32_t>(bytes, 0);
  const auto two_digits = [word](int lowest, uint32_t most_tens) {
    return (word >> lowest & 15) + 10 * (word >> (lowest + 4) & most_tens);
  };
  const bool drops_frames = word >> 6 & 1;
  return fmt::format("{:02}:{:02}:{:02}{}{:02}", two_digits(24, 3), two_digits(16, 7), two_digits(8, 7),
                     drops_frames ? ';' : ':', two_digits(0, 3));
}

}  // namespace

json value_of(const Attribute& attribute) {
  const Bytes bytes = std::as_bytes(std::span(attribute.value));
  if (attribute.type == "string") return text_of(bytes);
  if (attribute.type == "stringvector") return texts(bytes);
  if (attribute.type == "rational") return rational(bytes);
  if (attribute.type == "timecode") return timecode(bytes);
  if (attribute.type == "envmap" && bytes.size() == 1 && byte_at(bytes, 0) < 2)
    return byte_at(bytes, 0) == 0 ? "latlong" : "cube";
  const auto found = std::ranges::find(number_types, attribute.type, &NumberType::name);
  return found == std::end(number_types) ? json() : numbers(bytes, *found);
}

}  // namespace gpupost
