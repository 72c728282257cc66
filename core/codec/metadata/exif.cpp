#include "core/codec/metadata/exif.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpupost {

namespace {

// Reads numbers of a TIFF in its byte order. Numbers beyond the end are 0.
struct TiffNumbers {
  Bytes tiff;
  bool is_little = starts_with(tiff, "II");

  bool has(size_t at, size_t bytes) const { return at <= tiff.size() && bytes <= tiff.size() - at; }
  size_t u16(size_t at) const {
    return !has(at, 2) ? 0 : is_little ? little_at<uint16_t>(tiff, at) : big_u16_at(tiff, at);
  }
  size_t u32(size_t at) const {
    return !has(at, 4) ? 0 : is_little ? little_at<uint32_t>(tiff, at) : big_u32_at(tiff, at);
  }
};

// Exif 2.3, 4.6: orientation, position of chroma, unit of the resolution; then of the Exif directory: versions, layout of
// components, color space, width and height.
constexpr size_t usual_tags[] = {0x112, 0x213, 0x128, 0x9000, 0x9101, 0xa000, 0xa001, 0xa002, 0xa003};
constexpr size_t exif_directory = 0x8769, x_resolution = 0x11a, y_resolution = 0x11b, resolution_unit = 0x128;
constexpr size_t centimeter = 3;  // value of resolution_unit; others mean inch

// The position of the value of a tag, or of the offset of the value; nothing if it is missing.
std::optional<size_t> place_in(const TiffNumbers& numbers, size_t directory, size_t tag) {
  for (size_t entry = 0; entry < numbers.u16(directory); ++entry) {
    const size_t at = directory + 2 + 12 * entry;
    if (!numbers.has(at, 12)) return {};
    if (numbers.u16(at) == tag) return at + 8;
  }
  return {};
}

// Value of a short tag; nothing if it is missing.
std::optional<size_t> short_in(const TiffNumbers& numbers, size_t directory, size_t tag) {
  const std::optional<size_t> place = place_in(numbers, directory, tag);
  return place ? std::optional(numbers.u16(*place)) : std::nullopt;
}

// Value of a rational tag of the first directory; 0 if it is missing or damaged.
double rational_in(const TiffNumbers& numbers, size_t tag) {
  const std::optional<size_t> place = place_in(numbers, numbers.u32(4), tag);
  if (!place) return 0;
  const size_t at = numbers.u32(*place), denominator = numbers.u32(at + 4);
  return denominator > 0 ? double(numbers.u32(at)) / double(denominator) : 0;
}

bool has_unusual_tags(const TiffNumbers& numbers, size_t directory, bool is_first) {
  const double units_per_inch = short_in(numbers, directory, resolution_unit) == centimeter ? 2.54 : 1;
  for (size_t entry = 0; entry < numbers.u16(directory); ++entry) {
    const size_t at = directory + 2 + 12 * entry;
    if (!numbers.has(at, 12)) return false;
    const size_t tag = numbers.u16(at), value = numbers.u32(at + 8);
    if (std::ranges::find(usual_tags, tag) != std::end(usual_tags)) continue;
    if (tag == x_resolution || tag == y_resolution) {
      const auto dots = double(numbers.u32(value)), units = double(numbers.u32(value + 4));
      if (dots * units_per_inch > max_usual_dots_per_inch * units) return true;
    } else if (tag != exif_directory || !is_first || has_unusual_tags(numbers, value, false)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool has_more_than_orientation(Bytes tiff) {
  const TiffNumbers numbers{tiff};
  return has_unusual_tags(numbers, numbers.u32(4), true);
}

std::pair<double, double> resolution_in(Bytes tiff) {
  const TiffNumbers numbers{tiff};
  return {rational_in(numbers, x_resolution), rational_in(numbers, y_resolution)};
}

// TIFF 6.0, section 2; Exif 2.3, tag 0x112.
int orientation_in(Bytes tiff) {
  const TiffNumbers numbers{tiff};
  const size_t orientation = short_in(numbers, numbers.u32(4), 0x112).value_or(1);
  return orientation >= 1 && orientation <= 8 ? int(orientation) : 1;
}

}  // namespace gpupost
