#include "core/codec/blocks/bc6h_modes.h"

#include <cstdlib>
#include <string_view>

namespace gpupost::bc6h {
namespace {

constexpr uint8_t field_named(std::string_view name) {
  if (name[0] == 'd') return partition_field;
  return uint8_t(3 * std::string_view("wxyz").find(name[1]) + std::string_view("rgb").find(name[0]));
}

constexpr int take_number(std::string_view& text) {
  int number = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) number = 10 * number + text[0] - '0';
  return number;
}

// `layout` has the names of the specification, from the lowest bit of the block on: "rw0:9" is bits 0 to 9 of R in the
// first endpoint (w), and "rw11:10" is bit 11 before bit 10.
constexpr Mode mode_with(uint32_t number, int endpoint_bits, std::array<int, 3> delta_bits, std::string_view layout) {
  Mode mode{.number = number,
            .number_bits = number < 2 ? 2 : 5,
            .pair_count = layout.find('d') == layout.npos ? 1 : 2,
            .endpoint_bits = endpoint_bits,
            .delta_bits = delta_bits,
            .has_deltas = delta_bits[0] < endpoint_bits};
  while (!layout.empty()) {
    const uint8_t field = field_named(layout);
    layout.remove_prefix(field == partition_field ? 1 : 2);
    const int first = take_number(layout);
    int last = first;
    if (layout.starts_with(':')) {
      layout.remove_prefix(1);
      last = take_number(layout);
    }
    const int step = last < first ? -1 : 1;
    for (int bit = first; bit != last + step; bit += step)
      mode.places[size_t(mode.place_count++)] = {field, uint8_t(bit)};
    if (!layout.empty()) layout.remove_prefix(1);
  }
  return mode;
}

}  // namespace

constexpr std::array<Mode, 14> modes{
    mode_with(0b00, 10, {5, 5, 5},
              "gy4 by4 bz4 rw0:9 gw0:9 bw0:9 rx0:4 gz4 gy0:3 gx0:4 bz0 gz0:3 bx0:4 bz1 by0:3 ry0:4 bz2 rz0:4 bz3 d0:4"),
    mode_with(0b01, 7, {6, 6, 6},
              "gy5 gz4 gz5 rw0:6 bz0 bz1 by4 gw0:6 by5 bz2 gy4 bw0:6 bz3 bz5 bz4 rx0:5 gy0:3 gx0:5 gz0:3 bx0:5 by0:3 "
              "ry0:5 rz0:5 d0:4"),
    mode_with(0b00010, 11, {5, 4, 4},
              "rw0:9 gw0:9 bw0:9 rx0:4 rw10 gy0:3 gx0:3 gw10 bz0 gz0:3 bx0:3 bw10 bz1 by0:3 ry0:4 bz2 rz0:4 bz3 d0:4"),
    mode_with(
        0b00110, 11, {4, 5, 4},
        "rw0:9 gw0:9 bw0:9 rx0:3 rw10 gz4 gy0:3 gx0:4 gw10 gz0:3 bx0:3 bw10 bz1 by0:3 ry0:3 bz0 bz2 rz0:3 gy4 bz3 "
        "d0:4"),
    mode_with(
        0b01010, 11, {4, 4, 5},
        "rw0:9 gw0:9 bw0:9 rx0:3 rw10 by4 gy0:3 gx0:3 gw10 bz0 gz0:3 bx0:4 bw10 by0:3 ry0:3 bz1 bz2 rz0:3 bz4 bz3 "
        "d0:4"),
    mode_with(0b01110, 9, {5, 5, 5},
              "rw0:8 by4 gw0:8 gy4 bw0:8 bz4 rx0:4 gz4 gy0:3 gx0:4 bz0 gz0:3 bx0:4 bz1 by0:3 ry0:4 bz2 rz0:4 bz3 d0:4"),
    mode_with(0b10010, 8, {6, 5, 5},
              "rw0:7 gz4 by4 gw0:7 bz2 gy4 bw0:7 bz3 bz4 rx0:5 gy0:3 gx0:4 bz0 gz0:3 bx0:4 bz1 by0:3 ry0:5 rz0:5 d0:4"),
    mode_with(
        0b10110, 8, {5, 6, 5},
        "rw0:7 bz0 by4 gw0:7 gy5 gy4 bw0:7 gz5 bz4 rx0:4 gz4 gy0:3 gx0:5 gz0:3 bx0:4 bz1 by0:3 ry0:4 bz2 rz0:4 bz3 "
        "d0:4"),
    mode_with(
        0b11010, 8, {5, 5, 6},
        "rw0:7 bz1 by4 gw0:7 by5 gy4 bw0:7 bz5 bz4 rx0:4 gz4 gy0:3 gx0:4 bz0 gz0:3 bx0:5 by0:3 ry0:4 bz2 rz0:4 bz3 "
        "d0:4"),
    mode_with(0b11110, 6, {6, 6, 6},
              "rw0:5 gz4 bz0 bz1 by4 gw0:5 gy5 by5 bz2 gy4 bw0:5 gz5 bz3 bz5 bz4 rx0:5 gy0:3 gx0:5 gz0:3 bx0:5 by0:3 "
              "ry0:5 rz0:5 d0:4"),
    mode_with(0b00011, 10, {10, 10, 10}, "rw0:9 gw0:9 bw0:9 rx0:9 gx0:9 bx0:9"),
    mode_with(0b00111, 11, {9, 9, 9}, "rw0:9 gw0:9 bw0:9 rx0:8 rw10 gx0:8 gw10 bx0:8 bw10"),
    mode_with(0b01011, 12, {8, 8, 8}, "rw0:9 gw0:9 bw0:9 rx0:7 rw11:10 gx0:7 gw11:10 bx0:7 bw11:10"),
    mode_with(0b01111, 16, {4, 4, 4}, "rw0:9 gw0:9 bw0:9 rx0:3 rw15:10 gx0:3 gw15:10 bx0:3 bw15:10")};

const Mode* mode_of(const Block& block) {
  const uint64_t number = (block[0] & 3) < 2 ? block[0] & 3 : block[0] & 31;
  for (const Mode& mode : modes)
    if (mode.number == number) return &mode;
  return nullptr;
}

Fields fields_of(const Block& block, const Mode& mode) {
  Fields fields{};
  size_t position = size_t(mode.number_bits);
  for (size_t place = 0; place < size_t(mode.place_count); ++place, ++position) {
    const auto [field, bit] = mode.places[place];
    fields[field] |= uint32_t(block[position / 64] >> position % 64 & 1) << bit;
  }
  return fields;
}

void put_fields(const Fields& fields, const Mode& mode, Block& block) {
  block[0] |= mode.number;
  size_t position = size_t(mode.number_bits);
  for (size_t place = 0; place < size_t(mode.place_count); ++place, ++position) {
    const auto [field, bit] = mode.places[place];
    block[position / 64] |= uint64_t(fields[field] >> bit & 1) << position % 64;
  }
}

int unquantize(int value, int bits) {
  if (bits >= 15 || value == 0) return value;
  if (value == (1 << bits) - 1) return 0xffff;
  return ((value << 15) + 0x4000) >> (bits - 1);
}

int unquantize_signed(int value, int bits) {
  if (bits >= 16 || value == 0) return value;
  const int size = std::abs(value);
  const int result = size >= (1 << (bits - 1)) - 1 ? 0x7fff : ((size << 15) + 0x4000) >> (bits - 1);
  return value < 0 ? -result : result;
}

}  // namespace gpupost::bc6h
