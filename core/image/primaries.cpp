#include "core/image/primaries.h"

#include "core/base/text.h"
#include "core/image/attributes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

namespace gpupost {

namespace {

double determinant(const Matrix3& m) {
  double sum = 0;
  for (size_t k = 0; k < 3; ++k)
    sum += m[0][k] * (m[1][(k + 1) % 3] * m[2][(k + 2) % 3] - m[1][(k + 2) % 3] * m[2][(k + 1) % 3]);
  return sum;
}

Matrix3 inverse(const Matrix3& m) {
  const double whole = determinant(m);
  Matrix3 result{};
  for (size_t row = 0; row < 3; ++row)
    for (size_t column = 0; column < 3; ++column) {
      const size_t r1 = (column + 1) % 3, r2 = (column + 2) % 3, c1 = (row + 1) % 3, c2 = (row + 2) % 3;
      result[row][column] = (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) / whole;
    }
  return result;
}

// X, Y and Z of a chromaticity at a luminance of 1.
Vector3 xyz_of(Chromaticity c) { return {c.x / c.y, 1, (1 - c.x - c.y) / c.y}; }

// X, Y and Z of the primaries, scaled so that they add up to 1: primaries without luminance have them too.
Matrix3 columns_of(const Primaries& p) {
  return {{{p.red.x, p.green.x, p.blue.x},
           {p.red.y, p.green.y, p.blue.y},
           {1 - p.red.x - p.red.y, 1 - p.green.x - p.green.y, 1 - p.blue.x - p.blue.y}}};
}

Matrix3 xyz_of_rgb(const Primaries& p) {
  if (p.to_xyz) return *p.to_xyz;
  Matrix3 columns = columns_of(p);
  const Vector3 shares = product(inverse(columns), xyz_of(p.white));
  for (Vector3& row : columns)
    for (size_t k = 0; k < 3; ++k) row[k] *= shares[k];
  return columns;
}

// From what looks the same under one white to what does under another.
Matrix3 adaptation(Chromaticity from, Chromaticity to) {
  constexpr Matrix3 cones{{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
  const Vector3 before = product(cones, xyz_of(from)), after = product(cones, xyz_of(to));
  Matrix3 scale{};
  for (size_t k = 0; k < 3; ++k) scale[k][k] = after[k] / before[k];
  return product(inverse(cones), product(scale, cones));
}

std::array<double, 8> numbers_of(const Primaries& p) {
  return {p.red.x, p.red.y, p.green.x, p.green.y, p.blue.x, p.blue.y, p.white.x, p.white.y};
}

constexpr std::string_view attribute_name = "chromaticities";

// Can colors of these primaries be made others, and others theirs?
bool make_sense(const Primaries& p) {
  constexpr double farthest = 100, least = 1e-4;
  const bool are_near = std::ranges::all_of(numbers_of(p), [](double n) { return std::abs(n) <= farthest; });
  if (!are_near || std::abs(p.white.y) < least || std::abs(determinant(columns_of(p))) < least) return false;
  return std::abs(determinant(xyz_of_rgb(p))) >= least &&
         std::abs(determinant(adaptation(p.white, rec709.white))) < 1e4;
}

}  // namespace

bool are_same(const Primaries& a, const Primaries& b) {
  return a.to_xyz == b.to_xyz &&
         std::ranges::equal(numbers_of(a), numbers_of(b), [](double m, double n) { return std::abs(m - n) < 0.001; });
}

std::optional<Primaries> primaries_in(const Attribute& attribute) {
  const std::vector<uint8_t>& bytes = attribute.value;
  if (attribute.type != attribute_name || bytes.size() != 32) return std::nullopt;
  std::array<double, 8> n{};
  for (size_t index = 0; index < 8; ++index) {
    uint32_t bits = 0;  // little-endian
    for (size_t k = 0; k < 4; ++k) bits |= uint32_t(bytes[4 * index + k]) << (8 * k);
    n[index] = double(std::bit_cast<float>(bits));
  }
  const Primaries primaries{{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, {n[6], n[7]}};
  return make_sense(primaries) ? std::optional(primaries) : std::nullopt;
}

std::string_view name_of(const Primaries& primaries) {
  const auto is_it = [&](const NamedPrimaries& known) { return are_same(known.primaries, primaries); };
  const auto named = std::ranges::find_if(named_primaries, is_it);
  return named != std::end(named_primaries) ? named->name : "other primaries";
}

std::optional<Primaries> parse_primaries(const std::string& text) {
  const auto named = std::ranges::find(named_primaries, text, &NamedPrimaries::name);
  if (named != std::end(named_primaries)) return named->primaries;
  const std::optional<std::vector<double>> numbers = list_of_numbers(text);
  if (!numbers || numbers->size() != 8) return std::nullopt;
  const std::vector<double>& n = *numbers;
  const Primaries primaries{{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, {n[6], n[7]}};
  return make_sense(primaries) ? std::optional(primaries) : std::nullopt;
}

// Equal within the rounding of files.
static bool is_about(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double m, double n) { return std::abs(m - n) < 0.003; });
}

static bool is_about(const Matrix3& a, const Matrix3& b) {
  return std::ranges::equal(a, b, [](const Vector3& m, const Vector3& n) { return is_about(std::span(m), n); });
}

std::optional<Primaries> nearest_named(const Primaries& seen) {
  for (const auto& [name, primaries] : named_primaries)
    if (is_about(conversion({.from = primaries, .to = seen}), identity)) return primaries;
  return std::nullopt;
}

std::optional<Primaries> primaries_of_xyz(const Matrix3& to_xyz, Chromaticity white) {
  const Vector3 all = product(to_xyz, Vector3{1, 1, 1});
  std::array<Chromaticity, 4> places;
  for (size_t color = 0; color < 4; ++color) {
    const auto part = [&](size_t row) { return color == 3 ? all[row] : to_xyz[row][color]; };
    const double sum = part(0) + part(1) + part(2);
    if (!(std::abs(sum) > 1e-6)) return std::nullopt;
    places[color] = {part(0) / sum, part(1) / sum};
  }
  const Matrix3 adapted = product(adaptation(white, rec709.white), to_xyz);
  if (is_about(adapted, identity)) return cie_xyz;
  Primaries made{places[0], places[1], places[2], places[3]};
  if (!is_about(std::span(all), xyz_of(white))) made.to_xyz = adapted;
  return made;
}

std::optional<Primaries> other_primaries(const Picture& picture) {
  const auto found = std::ranges::find(picture.attributes, attribute_name, &Attribute::name);
  if (found == picture.attributes.end()) return std::nullopt;
  std::optional<Primaries> primaries = primaries_in(*found);
  if (picture.to_xyz) {
    primaries = primaries.value_or(rec709);
    primaries->to_xyz = picture.to_xyz;
  }
  return !primaries || are_same(*primaries, rec709) ? std::nullopt : primaries;
}

std::optional<std::string> drop_senseless_primaries(Picture& picture) {
  const auto found = std::ranges::find(picture.attributes, attribute_name, &Attribute::name);
  if (found == picture.attributes.end() || primaries_in(*found)) return std::nullopt;
  picture.attributes.erase(found);
  return "its chromaticities are not valid primaries and are dropped; without --input-primaries, its colors are taken "
         "as Rec. 709";
}

void set_primaries(Picture& picture, const Primaries& primaries) {
  remove_color_names(picture.attributes);
  picture.to_xyz = primaries.to_xyz;
  auto found = std::ranges::find(picture.attributes, attribute_name, &Attribute::name);
  if (found == picture.attributes.end()) {
    if (are_same(primaries, rec709)) return;
    picture.attributes.push_back({.name = std::string(attribute_name), .type = std::string(attribute_name)});
    found = std::prev(picture.attributes.end());
  }
  found->value.clear();
  for (const double number : numbers_of(primaries))
    for (size_t k = 0; k < 4; ++k) found->value.push_back(uint8_t(std::bit_cast<uint32_t>(float(number)) >> (8 * k)));
}

// The white that colors are adapted to or from. X, Y and Z are those under the white of Rec.709.
static Chromaticity white_of(const Primaries& primaries) {
  return primaries.to_xyz || are_same(primaries, cie_xyz) ? rec709.white : primaries.white;
}

Matrix3 white_change(Chromaticity white) {
  const Matrix3 to_xyz = xyz_of_rgb(rec709);
  return product(inverse(to_xyz), product(adaptation(white, rec709.white), to_xyz));
}

Matrix3 conversion(const PrimariesChange& change) {
  const auto& [from, to] = change;
  const Matrix3 there = product(adaptation(white_of(from), white_of(to)), xyz_of_rgb(from));
  return product(inverse(xyz_of_rgb(to)), there);
}

bool keeps_gray(const Matrix3& matrix) {
  const Vector3 gray = product(matrix, Vector3{1, 1, 1});
  return std::abs(gray[1] - gray[0]) < 1e-6 && std::abs(gray[2] - gray[0]) < 1e-6;
}

Vector3 luminance_weights_of(const Primaries& primaries) {
  const auto& [red, green, blue, white, to_xyz] = primaries;
  return xyz_of_rgb({red, green, blue, white})[1];  // without the brightness of R = G = B = 1
}

Vector3 product_of_light(const Matrix3& matrix, Vector3 light) {
  constexpr double large = 1e30, least_infinite = 1e20;
  if (std::ranges::none_of(light, [](double value) { return std::isinf(value); })) return product(matrix, light);
  for (double& value : light)
    if (std::isinf(value)) value = std::copysign(large, value);
  Vector3 made = product(matrix, light);
  for (double& value : made)
    if (std::abs(value) > least_infinite) value = std::copysign(std::numeric_limits<double>::infinity(), value);
  return made;
}

void convert_primaries(Picture& picture, const PrimariesChange& change) {
  const Matrix3 matrix = conversion(change);
  for (Level& level : picture.groups.front().levels) {
    const std::span<float> numbers = level.texels.as<float>();
    for (size_t texel = 0; texel + 4 <= numbers.size(); texel += 4) {
      const Vector3 light{double(numbers[texel]), double(numbers[texel + 1]), double(numbers[texel + 2])};
      const Vector3 made = product_of_light(matrix, light);
      for (size_t c = 0; c < 3; ++c) numbers[texel + c] = float(made[c]);
    }
  }
}

}  // namespace gpupost
