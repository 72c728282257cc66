// Is an ICC profile sRGB, by its numbers? One that calls itself so may be off by more. No other profile is understood.
#include "core/codec/metadata/checked_file.h"
#include "core/image/to_working.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gpupost {

namespace {

// In a description of one byte or two bytes a letter.
bool calls_itself_srgb(Bytes profile) {
  return text_of(profile).find("sRGB") != std::string_view::npos ||
         text_of(profile).find(std::string_view("s\0R\0G\0B", 7)) != std::string_view::npos;
}

double fixed_at(Bytes bytes, size_t at) { return double(int32_t(big_u32_at(bytes, at))) / 65536; }

// ICC.1:2022, 7.3.
std::optional<Bytes> tag_of(Bytes profile, std::string_view name) {
  const size_t count = big_u32_at(profile, 128);
  for (size_t entry = 0; entry < count; ++entry) {
    const size_t at = 132 + 12 * entry;
    if (text_of(part_of(profile, at, 4)) == name)
      return part_of(profile, big_u32_at(profile, at + 4), big_u32_at(profile, at + 8));
  }
  return std::nullopt;
}

using Column = std::array<double, 3>;

// How far numbers may be off: as much as sRGB's own are rounded, or what small profiles and 2.2 in the place of the curve
// are off by.
constexpr double rounded = 0.001, alike = 0.03;

bool has_column(Bytes profile, std::string_view name, const Column& wanted, double slack) {
  const std::optional<Bytes> tag = tag_of(profile, name);
  if (!tag) return false;
  const Column column{fixed_at(*tag, 8), fixed_at(*tag, 12), fixed_at(*tag, 16)};
  return std::ranges::equal(column, wanted, [&](double x, double y) { return std::abs(x - y) < slack; });
}

// Light of a number in 0..1 by a curve: a power, a table, or the function of sRGB's form. ICC.1:2022, 10.6 and 10.18.
double light_by(Bytes curve, double number) {
  if (starts_with(curve, "curv") && big_u32_at(curve, 8) == 1) return std::pow(number, big_u16_at(curve, 12) / 256.0);
  if (starts_with(curve, "para")) {
    if (big_u16_at(curve, 8) != 3) return -1;
    const double power = fixed_at(curve, 12), a = fixed_at(curve, 16), b = fixed_at(curve, 20), c = fixed_at(curve, 24);
    return number >= fixed_at(curve, 28) ? std::pow(a * number + b, power) : c * number;
  }
  const size_t count = starts_with(curve, "curv") ? big_u32_at(curve, 8) : 0;
  if (count < 2) return -1;
  const double place = number * double(count - 1);
  const size_t low = std::min(size_t(place), count - 2);
  const double share = place - double(low);
  const auto entry = [&](size_t index) { return double(big_u16_at(curve, 12 + 2 * index)) / 65535; };
  return (1 - share) * entry(low) + share * entry(low + 1);
}

bool has_curve_of_srgb(Bytes profile, std::string_view name, double slack) {
  const std::optional<Bytes> curve = tag_of(profile, name);
  if (!curve) return false;
  constexpr int step_count = 255;
  for (int step = 0; step <= step_count; ++step) {
    const double number = double(step) / step_count;
    if (!(std::abs(light_by(*curve, number) - srgb_decode(number)) < slack)) return false;
  }
  return true;
}

// Primaries as they look under D50, IEC 61966-2-1 with ICC.1:2022, annex E.
bool has_numbers_of_srgb(Bytes profile, double slack) {
  return text_of(part_of(profile, 16, 4)) == "RGB " && has_column(profile, "rXYZ", {0.4361, 0.2225, 0.0139}, slack) &&
         has_column(profile, "gXYZ", {0.3851, 0.7169, 0.0971}, slack) &&
         has_column(profile, "bXYZ", {0.1431, 0.0606, 0.7141}, slack) && has_curve_of_srgb(profile, "rTRC", slack) &&
         has_curve_of_srgb(profile, "gTRC", slack) && has_curve_of_srgb(profile, "bTRC", slack);
}

// A profile of tables has none.
bool has_curves(Bytes profile) { return tag_of(profile, "rTRC").has_value(); }

}  // namespace

bool is_srgb_profile(Bytes profile, bool is_called_so) {
  is_called_so |= calls_itself_srgb(profile);
  try {
    if (is_called_so && !has_curves(profile)) return true;
    return has_numbers_of_srgb(profile, is_called_so ? alike : rounded);
  } catch (const Error&) {
    return is_called_so;  // cut off; the picture is none the worse for it
  }
}

}  // namespace gpupost
