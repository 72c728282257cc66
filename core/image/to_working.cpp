#include "core/image/to_working.h"

#include "core/base/half.h"
#include "core/base/threads.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

namespace gpupost {

// IEC 61966-2-1.
double srgb_decode(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}
double srgb_encode(double linear) {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}
double bt709_decode(double encoded) {
  return encoded < 0.081 ? encoded / 4.5 : std::pow((encoded + 0.099) / 1.099, 1 / 0.45);
}

namespace {

constexpr double pq_m1 = 2610.0 / 16384, pq_m2 = 2523.0 / 32, pq_c1 = 3424.0 / 4096, pq_c2 = 2413.0 / 128,
                 pq_c3 = 2392.0 / 128;
constexpr double pq_largest = 10000.0 / 203;
constexpr double hlg_a = 0.17883277, hlg_b = 1 - 4 * hlg_a;
const double hlg_c = 0.5 - hlg_a * std::log(4 * hlg_a);

double hlg_scene(double encoded) {
  return encoded <= 0.5 ? encoded * encoded / 3 : (std::exp((encoded - hlg_c) / hlg_a) + hlg_b) / 12;
}
const double hlg_largest = 1 / hlg_scene(0.75);

}  // namespace

// std::max returns its first argument if that is NaN.
double pq_decode(double encoded) {
  const double root = std::pow(std::max(encoded, 0.0), 1 / pq_m2);
  const double divisor = pq_c2 - pq_c3 * root;  // 0 at the pole of the curve, a value of 1.99
  if (divisor <= 0) return std::numeric_limits<double>::infinity();
  return pq_largest * std::pow(std::max(root - pq_c1, 0.0) / divisor, 1 / pq_m1);
}
double pq_encode(double light) {
  const double root = std::pow(std::max(0.0, light / pq_largest), pq_m1);
  return std::pow((pq_c1 + pq_c2 * root) / (1 + pq_c3 * root), pq_m2);
}
double hlg_decode(double encoded) { return hlg_largest * hlg_scene(std::max(encoded, 0.0)); }
double hlg_encode(double light) {
  const double scene = std::max(0.0, light / hlg_largest);
  return scene <= 1.0 / 12 ? std::sqrt(3 * scene) : hlg_a * std::log(12 * scene - hlg_b) + hlg_c;
}
std::string name_of(Transfer transfer, double exponent) {
  constexpr std::string_view names[] = {"linear", "srgb", "bt709", "power", "pq", "hlg"};
  const std::string name(names[size_t(transfer)]);
  return transfer == Transfer::power ? fmt::format("{} {:.5g}", name, exponent) : name;
}

double largest_light(Transfer transfer) {
  return transfer == Transfer::pq ? pq_largest : transfer == Transfer::hlg ? hlg_largest : 1;
}

namespace {

// What has to change before the device may see a group's texels.
struct Look {
  Transfer transfer = Transfer::linear;
  double exponent = 1;
  bool is_straight = false;            // the color is to be multiplied by alpha
  bool is_encoded_multiplied = false;  // encoded premultiplied color: to be divided, decoded and multiplied again
  bool operator==(const Look&) const = default;
};

Look look_of(const Picture& picture, const Group& group) {
  const bool is_multiplicable = group.has_alpha() && !group.is_data;
  const bool is_straight = is_multiplicable && picture.alpha == Alpha::straight;
  const bool is_multiplied = is_multiplicable && picture.alpha == Alpha::premultiplied;
  return {picture.transfer, picture.exponent, is_straight, is_multiplied && picture.transfer != Transfer::linear};
}

double light_of(double encoded, Look look) {
  switch (look.transfer) {
    case Transfer::linear: return encoded;
    case Transfer::srgb: return srgb_decode(encoded);
    case Transfer::bt709: return bt709_decode(encoded);
    case Transfer::pq: return pq_decode(encoded);
    case Transfer::hlg: return hlg_decode(encoded);
    case Transfer::power: return std::copysign(std::pow(std::abs(encoded), look.exponent), encoded);
  }
  return encoded;
}

// Calls body(first texel, texel count) for every row of a level, on every core; body returns what is counted.
template <class Body>
size_t count_rows(Size size, const Body& body) {
  std::atomic<size_t> sum = 0;
  const int grain = std::max(1, 65536 / size.width);
  parallel_ranges(size.height, grain, [&](int begin, int end) {
    size_t count = 0;
    for (int y = begin; y < end; ++y) count += body(size_t(y) * size_t(size.width), size_t(size.width));
    sum += count;
  });
  return sum;
}

size_t store(const std::vector<float>& row, std::byte* to, Depth depth) {
  if (depth == Depth::half) return halves_from_floats(row.data(), reinterpret_cast<uint16_t*>(to), row.size());
  std::copy(row.begin(), row.end(), reinterpret_cast<float*>(to));
  return 0;
}

// Every value that an integer of a file can have, as the linear number it stands for.
struct Table {
  std::vector<float> floats;
  std::vector<uint16_t> halves;
};

Table table_of(size_t value_count, Look look) {
  Table table{std::vector<float>(value_count), std::vector<uint16_t>(value_count)};
  for (size_t value = 0; value < value_count; ++value) {
    const double share = double(value) / double(value_count - 1);
    table.floats[value] = float(light_of(share, look));
  }
  halves_from_floats(table.floats.data(), table.halves.data(), value_count);
  return table;
}

// The tables of usual curves are kept; another is made in `room`.
template <class Integer>
const Table& table_for(Look look, Table& room) {
  constexpr size_t value_count = size_t(1) << 8 * sizeof(Integer);
  if (look.transfer == Transfer::srgb) {
    static const Table srgb = table_of(value_count, {.transfer = Transfer::srgb});
    return srgb;
  }
  if (look.transfer == Transfer::linear) {
    static const Table linear = table_of(value_count, {});
    return linear;
  }
  return room = table_of(value_count, look);
}

template <class Integer>
bool is_opaque(const Integer* texels, size_t texel_count) {
  Integer least = Integer(-1);
  for (size_t i = 0; i < texel_count; ++i) least = std::min(least, texels[4 * i + 3]);
  return least == Integer(-1);
}

// Opaque texels. In PQ and HLG the largest integer is more than 1, but alpha is 1.
template <class Integer, class Number>
void look_up(const Integer* from, Number* to, size_t texel_count, const std::vector<Number>& table, Number one) {
  for (size_t i = 0; i < 4 * texel_count; ++i) to[i] = table[from[i]];
  if (table.back() == one) return;
  for (size_t i = 3; i < 4 * texel_count; i += 4) to[i] = one;
}

// One texel of floats made linear and premultiplied.
void make_linear(float* texel, Look look) {
  const float alpha = std::isfinite(texel[3]) ? texel[3] : 1;  // as ops count it
  const bool divides = look.is_encoded_multiplied && alpha != 0;
  const float factor = divides || look.is_straight ? alpha : 1;
  for (size_t c = 0; c < 3; ++c) {
    const double straight = double(texel[c]) / double(divides ? alpha : 1);
    const float light = float(light_of(straight, look));
    texel[c] = factor == 0 && std::isinf(light) ? 0 : light * factor;
  }
}

// A row of integers as linear premultiplied numbers. Opaque rows, the common case, are looked up and that is all.
template <class Integer>
void row_of_integers(const Integer* from, std::byte* to, size_t texel_count, Look look, const Table& table,
                     Depth storage) {
  if (is_opaque(from, texel_count)) {
    if (storage == Depth::half)
      look_up(from, reinterpret_cast<uint16_t*>(to), texel_count, table.halves, half_from_float(1));
    else look_up(from, reinterpret_cast<float*>(to), texel_count, table.floats, 1.0F);
    return;
  }
  // rounded once, as the table is: color that is alpha stays alpha
  const auto share_of = [](Integer value) { return float(double(value) / double(Integer(-1))); };
  thread_local std::vector<float> row;
  row.resize(4 * texel_count);
  for (size_t i = 0; i < 4 * texel_count; i += 4) {
    row[i + 3] = share_of(from[i + 3]);
    if (look.is_encoded_multiplied) {
      for (size_t c = i; c < i + 3; ++c) row[c] = share_of(from[c]);
      make_linear(&row[i], look);
    } else {
      const float factor = look.is_straight ? row[i + 3] : 1;
      for (size_t c = i; c < i + 3; ++c) row[c] = table.floats[from[c]] * factor;
    }
  }
  store(row, to, storage);
}

// A row of floats made so; returns how many numbers were clamped.
size_t row_of_floats(const std::byte* from, Depth depth, std::byte* to, size_t texel_count, Look look, Depth storage) {
  thread_local std::vector<float> row;
  row.resize(4 * texel_count);
  if (depth == Depth::half) floats_from_halves(reinterpret_cast<const uint16_t*>(from), row.data(), row.size());
  else std::copy_n(reinterpret_cast<const float*>(from), row.size(), row.begin());
  if (look != Look{})
    for (size_t i = 0; i < texel_count; ++i) make_linear(&row[4 * i], look);
  return store(row, to, storage);
}

size_t change_level(Level& level, Depth from_depth, Depth to_depth, Look look) {
  TexelBuffer made(texel_count(level.size) * 4 * bytes_of(to_depth));
  Table room;
  const Table& table = from_depth == Depth::u8    ? table_for<uint8_t>(look, room)
                       : from_depth == Depth::u16 ? table_for<uint16_t>(look, room)
                                                  : room;
  const size_t clamped_count = count_rows(level.size, [&](size_t first, size_t count) -> size_t {
    const std::byte* from = level.texels.data() + first * 4 * bytes_of(from_depth);
    std::byte* to = made.data() + first * 4 * bytes_of(to_depth);
    if (is_float(from_depth)) return row_of_floats(from, from_depth, to, count, look, to_depth);
    if (from_depth == Depth::u8)
      row_of_integers(reinterpret_cast<const uint8_t*>(from), to, count, look, table, to_depth);
    else row_of_integers(reinterpret_cast<const uint16_t*>(from), to, count, look, table, to_depth);
    return 0;
  });
  level.texels = std::move(made);
  return clamped_count;
}

size_t change_group(Group& group, Depth depth, Look look) {
  if (group.has_ids() || (group.depth == depth && look == Look{})) return 0;
  size_t clamped_count = 0;
  for (Level& level : group.levels) clamped_count += change_level(level, group.depth, depth, look);
  group.depth = depth;
  return clamped_count;
}

template <class Word>
bool is_hidden(std::span<const Word> texels) {
  bool has_color = false;
  for (size_t i = 0; i < texels.size(); i += 4) {
    if (texels[i + 3] != 0) return false;
    has_color |= (texels[i] | texels[i + 1] | texels[i + 2]) != 0;
  }
  return has_color;
}

}  // namespace

bool is_all_hidden(const Picture& picture) {
  const Group& color = picture.groups.front();
  if (picture.alpha != Alpha::straight || !color.has_alpha() || color.is_data) return false;
  const TexelBuffer& texels = color.levels[0].texels;
  switch (bytes_of(color.depth)) {
    case 1: return is_hidden(texels.as<uint8_t>());
    case 2: return is_hidden(texels.as<uint16_t>());
    default: return is_hidden(texels.as<uint32_t>());
  }
}

size_t change_depth(Group& group, Depth depth) { return change_group(group, depth, Look{}); }

size_t make_working(Picture& picture, Depth storage) {
  size_t clamped_count = 0;
  for (Group& group : picture.groups)
    if (group.is_color) clamped_count += change_group(group, storage, look_of(picture, group));
  picture.transfer = Transfer::linear;
  picture.alpha = Alpha::premultiplied;
  return clamped_count;
}

size_t make_linear_straight(Picture& picture, Depth storage) {
  size_t clamped_count = 0;
  for (Group& group : picture.groups)
    if (group.is_color)
      clamped_count += change_group(group, storage, {.transfer = picture.transfer, .exponent = picture.exponent});
  picture.transfer = Transfer::linear;
  return clamped_count;
}

}  // namespace gpupost
