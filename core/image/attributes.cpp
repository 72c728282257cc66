#include "core/image/attributes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace gpupost {

namespace {

// Programs differ about the frame's own coordinates.
void remove_frame_matrices(std::vector<Attribute>& attributes) {
  remove_attributes(attributes, {"worldToNDC", "worldToScreen"});
}

template <size_t count>
using Floats = std::array<float, count>;

// Calls change(numbers) on the floats of an attribute that is there and has as many.
template <size_t count, class Change>
void change_floats(std::vector<Attribute>& attributes, std::string_view name, const Change& change) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  Floats<count> numbers;
  if (found == attributes.end() || found->value.size() != sizeof numbers) return;
  std::memcpy(numbers.data(), found->value.data(), sizeof numbers);
  change(numbers);
  std::memcpy(found->value.data(), numbers.data(), sizeof numbers);
}

float number_of(std::vector<Attribute>& attributes, std::string_view name, float otherwise) {
  change_floats<1>(attributes, name, [&](const Floats<1>& number) { otherwise = number[0]; });
  return otherwise;
}

double count_of(int min, int max) { return double(max) - min + 1; }

}  // namespace

bool is_default_attribute(const Attribute& attribute) {
  const auto is = [&](const auto& expected) {
    auto numbers = expected;
    if (attribute.value.size() != sizeof numbers) return false;
    std::memcpy(numbers.data(), attribute.value.data(), sizeof numbers);
    return numbers == expected;
  };
  if (attribute.name == "chromaticities") return true;
  if (attribute.name == "screenWindowCenter") return is(Floats<2>{0, 0});
  return (attribute.name == "pixelAspectRatio" || attribute.name == "screenWindowWidth") && is(Floats<1>{1});
}

std::optional<std::vector<std::string>> string_vector(std::span<const std::byte> value) {
  std::vector<std::string> texts;
  while (!value.empty()) {
    uint32_t length = 0;
    if (value.size() < sizeof length) return std::nullopt;
    std::memcpy(&length, value.data(), sizeof length);
    value = value.subspan(sizeof length);
    if (length > value.size()) return std::nullopt;
    texts.emplace_back(reinterpret_cast<const char*>(value.data()), length);
    value = value.subspan(length);
  }
  return texts;
}

void remove_attributes(std::vector<Attribute>& attributes, std::initializer_list<std::string_view> names) {
  std::erase_if(attributes, [&](const Attribute& attribute) { return std::ranges::count(names, attribute.name) > 0; });
}

std::vector<std::string> names_with_information(const std::vector<Attribute>& attributes) {
  std::vector<std::string> names;
  for (const Attribute& attribute : attributes)
    if (!is_default_attribute(attribute)) names.push_back(attribute.name);
  return names;
}

std::optional<std::string> warning_of_removed(const std::vector<std::string>& before,
                                              const std::vector<Attribute>& attributes) {
  std::vector<std::string> removed;
  std::ranges::copy_if(before, std::back_inserter(removed), [&](const std::string& name) {
    return std::ranges::find(attributes, name, &Attribute::name) == attributes.end();
  });
  if (removed.empty()) return std::nullopt;
  return fmt::format("attributes that no longer match the image are dropped: {}", fmt::join(removed, ", "));
}

void remove_color_names(std::vector<Attribute>& attributes) {
  remove_attributes(attributes,
                    {"acesImageContainerFlag", "adoptedNeutral", "colorInteropID", "colorspace", "oiio:ColorSpace"});
}

void set_text(std::vector<Attribute>& attributes, std::string_view name, std::string_view text) {
  remove_attributes(attributes, {name});
  attributes.push_back({.name = std::string(name), .type = "string", .value = {text.begin(), text.end()}});
}

// The screen window is as wide as the display window, and its y goes up. Source: OpenEXR, Technical Introduction, "Camera
// Coordinate System".
void crop_frame(std::vector<Attribute>& attributes, const Window& before, const Window& after) {
  if (before == after) return;
  const double width = double(number_of(attributes, "screenWindowWidth", 1));
  const double aspect = double(number_of(attributes, "pixelAspectRatio", 1));
  const double texel = width / count_of(before.min_x, before.max_x);
  const auto off = [](int before_min, int before_max, int after_min, int after_max) {
    return ((double(after_min) + after_max) - (double(before_min) + before_max)) / 2;
  };
  change_floats<1>(attributes, "screenWindowWidth",
                   [&](Floats<1>& number) { number[0] = float(texel * count_of(after.min_x, after.max_x)); });
  change_floats<2>(attributes, "screenWindowCenter", [&](Floats<2>& center) {
    center[0] += float(texel * off(before.min_x, before.max_x, after.min_x, after.max_x));
    center[1] -= float(texel / aspect * off(before.min_y, before.max_y, after.min_y, after.max_y));
  });
  remove_frame_matrices(attributes);
  remove_attributes(attributes, {"envmap"});  // a part of an environment is none
}

bool is_openexr_cube(const std::vector<Attribute>& attributes) {
  return std::ranges::any_of(attributes, [](const Attribute& attribute) {
    return attribute.name == "envmap" && attribute.value == std::vector<uint8_t>{1};
  });
}

// The camera is mirrored too: its x or y goes the other way.
void mirror_frame(std::vector<Attribute>& attributes, bool flips_x, bool flips_y) {
  change_floats<2>(attributes, "screenWindowCenter", [&](Floats<2>& center) {
    if (flips_x) center[0] = 0 - center[0];  // no -0
    if (flips_y) center[1] = 0 - center[1];
  });
  change_floats<16>(attributes, "worldToCamera", [&](Floats<16>& matrix) {
    for (size_t row = 0; row < 4; ++row) {
      if (flips_x) matrix[4 * row] = -matrix[4 * row];
      if (flips_y) matrix[4 * row + 1] = -matrix[4 * row + 1];
    }
  });
  remove_frame_matrices(attributes);
  // the faces of a cube change places
  if (is_openexr_cube(attributes)) remove_attributes(attributes, {"envmap"});
}

void transpose_frame(std::vector<Attribute>& attributes) {
  change_floats<1>(attributes, "pixelAspectRatio", [](Floats<1>& aspect) { aspect[0] = 1 / aspect[0]; });
  const auto modes = std::ranges::find(attributes, "wrapmodes", &Attribute::name);  // "across,down"
  if (modes != attributes.end())
    if (const auto comma = std::ranges::find(modes->value, uint8_t(',')); comma != modes->value.end()) {
      std::vector<uint8_t> turned(comma + 1, modes->value.end());
      turned.push_back(',');
      turned.insert(turned.end(), modes->value.begin(), comma);
      modes->value = std::move(turned);
    }
  remove_camera(attributes);
}

void remove_camera(std::vector<Attribute>& attributes) {
  remove_frame_matrices(attributes);
  remove_attributes(attributes, {"worldToCamera", "screenWindowCenter", "screenWindowWidth", "envmap"});
}

}  // namespace gpupost
