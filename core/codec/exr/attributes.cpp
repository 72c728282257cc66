#include "core/codec/exr/attributes.h"

#include "core/codec/exr/header.h"
#include "core/image/attributes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gpupost {

namespace {

// Types with a fixed value size.
struct FixedType {
  std::string_view name;
  size_t bytes;
};
constexpr FixedType fixed_types[] = {{"box2f", 16},
                                     {"box2i", 16},
                                     {"chromaticities", 32},
                                     {"compression", 1},
                                     {"deepImageState", 1},
                                     {"double", 8},
                                     {"envmap", 1},
                                     {"float", 4},
                                     {"int", 4},
                                     {"keycode", 28},
                                     {"lineOrder", 1},
                                     {"m33d", 72},
                                     {"m33f", 36},
                                     {"m44d", 128},
                                     {"m44f", 64},
                                     {"rational", 8},
                                     {"tiledesc", 9},
                                     {"v2d", 16},
                                     {"v2f", 8},
                                     {"v2i", 8},
                                     {"v3d", 24},
                                     {"v3f", 12},
                                     {"v3i", 12},
                                     {"timecode", 8}};

// Width, height, and four bytes a texel.
bool is_preview(Bytes value) {
  if (value.size() < 8) return false;
  const uint64_t width = little_at<uint32_t>(value, 0), height = little_at<uint32_t>(value, 4);
  const uint64_t texel_bytes = value.size() - 8;
  return texel_bytes % 4 == 0 &&
         (width == 0 || height == 0 ? texel_bytes == 0
                                    : texel_bytes / 4 % width == 0 && texel_bytes / 4 / width == height);
}

// Names that end in a zero byte, 16 bytes behind each, and an empty name at the end.
bool is_channel_list(Bytes value) {
  const std::string_view text = text_of(value);
  size_t at = 0;
  while (at < text.size() && text[at] != '\0') {
    const size_t end = text.find('\0', at);
    constexpr size_t longest_name = 255, channel_bytes = 16;
    if (end == text.npos || end - at > longest_name || text.size() - end - 1 < channel_bytes) return false;
    at = end + 1 + channel_bytes;
  }
  return at + 1 == text.size();
}

// Source: OpenEXR, ImfKeyCode.h.
bool is_key_code(Bytes value) {
  struct Range {
    int least, most;
  };
  constexpr std::array<Range, 7> ranges{{{0, 99}, {0, 99}, {0, 999999}, {0, 9999}, {0, 119}, {1, 15}, {20, 120}}};
  for (size_t index = 0; index < ranges.size(); ++index) {
    const int number = little_at<int32_t>(value, 4 * index);
    if (number < ranges[index].least || number > ranges[index].most) return false;
  }
  return true;
}

bool matches_syntax(std::string_view type, Bytes value) {
  const auto fixed = std::ranges::find(fixed_types, type, &FixedType::name);
  if (fixed != std::end(fixed_types) && value.size() != fixed->bytes) return false;
  if (type == "keycode") return is_key_code(value);
  if (type == "chlist") return is_channel_list(value);
  if (type == "floatvector") return value.size() % 4 == 0;
  if (type == "idmanifest") return value.size() >= 4;
  if (type == "preview") return is_preview(value);
  return type != "stringvector" || string_vector(value).has_value();
}

// Numbers for which OpenEXR checks a range.
void check_range(std::string_view name, Bytes value) {
  const float number = value.size() == 4 ? little_at<float>(value, 0) : 0;
  constexpr float least_ratio = 1e-6f, most_ratio = 1e6f;
  if (name == "pixelAspectRatio" && !(number >= least_ratio && number <= most_ratio))
    fail(Exit::input, "its pixelAspectRatio is {}; expected {} to {}", number, least_ratio, most_ratio);
  if (name == "screenWindowWidth" && number < 0)
    fail(Exit::input, "its screenWindowWidth is {}; expected at least 0", number);
}

}  // namespace

void check_exr_attribute(std::string_view name, std::string_view type, Bytes value) {
  if (!matches_syntax(type, value))
    fail(Exit::input, "attribute {} has {} bytes that are no value of its type, {}", printable(name), value.size(),
         printable(type));
  check_range(name, value);
}

}  // namespace gpupost
