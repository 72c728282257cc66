// Checks the decoder and the encoder of BC6H blocks.
#include "core/base/half.h"
#include "core/codec/blocks/bc6h.h"
#include "core/codec/blocks/bc6h_modes.h"
#include "core/codec/blocks/partitions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <random>

using namespace gpupost;

namespace {

using BlockBytes = std::array<std::byte, 16>;
using HalfColor = std::array<uint16_t, 4>;

struct BitRun {
  int count;
  uint64_t value;
};

// The runs follow each other from the lowest bit of the block on.
BlockBytes block_of_runs(std::initializer_list<BitRun> runs) {
  BlockBytes block{};
  int position = 0;
  for (const BitRun& run : runs)
    for (int bit = 0; bit < run.count; ++bit, ++position)
      block[size_t(position / 8)] |= std::byte(run.value >> bit & 1) << position % 8;
  REQUIRE(position == 128);
  return block;
}

// 16 bits from an endpoint of `bits` bits, less than 16: the middle of its interval, and both ends whole.
double wide_endpoint(int value, int bits) {
  if (value == 0) return 0;
  if (value == (1 << bits) - 1) return 65535;
  return std::floor((value + 0.5) * 65536 / (1 << bits));
}

uint16_t half_between(double first, double second, int weight) {
  const double mixed = std::floor((first * (64 - weight) + second * weight + 32) / 64);
  return uint16_t(std::floor(mixed * 31 / 64));
}

}  // namespace

TEST_CASE("BC6H: a block with endpoints of 10 bits") {
  const std::array<int, 6> ends{0, 1023, 512, 1023, 1, 700};  // R, G and B of the first, then of the second
  const BlockBytes block = block_of_runs({{5, 0b00011},
                                          {10, 0},
                                          {10, 1023},
                                          {10, 512},
                                          {10, 1023},
                                          {10, 1},
                                          {10, 700},
                                          {3, 5},
                                          {4, 15},
                                          {4, 0},
                                          {4, 8},
                                          {48, 0xfedc'ba98'7654}});
  const HalfTexels texels = decode_bc6h(block.data(), false);
  const std::array<int, 6> weights{21, 64, 0, 34, 17, 21};
  for (size_t i = 0; i < weights.size(); ++i) {
    for (size_t c = 0; c < 3; ++c)
      CHECK(texels[i][c] == half_between(wide_endpoint(ends[c], 10), wide_endpoint(ends[c + 3], 10), weights[i]));
    CHECK(texels[i][3] == 0x3c00);
  }
  CHECK(texels[1] == HalfColor{0x7bff, uint16_t(96 * 31 / 64), uint16_t(44832 * 31 / 64), 0x3c00});
}

TEST_CASE("BC6H: a block with endpoints of 16 bits and differences of 4") {
  // The highest 6 bits of the first endpoint are in reverse order.
  const BlockBytes block = block_of_runs({{5, 0b01111},
                                          {10, 0x3a5},
                                          {10, 0x001},
                                          {10, 0x3ff},
                                          {4, 7},
                                          {6, 0b000001},
                                          {4, 8},
                                          {6, 0b100000},
                                          {4, 15},
                                          {6, 0b111111},
                                          {3, 0},
                                          {60, 15}});
  const HalfTexels texels = decode_bc6h(block.data(), false);
  const std::array<int, 3> first{0x83a5, 0x0401, 0xffff}, second{0x83a5 + 7, 0x0401 - 8, 0xfffe};
  for (size_t c = 0; c < 3; ++c) {
    CHECK(texels[0][c] == half_between(first[c], second[c], 0));
    CHECK(texels[1][c] == half_between(first[c], second[c], 64));
    CHECK(texels[15][c] == half_between(first[c], second[c], 0));
  }
}

TEST_CASE("BC6H: a block of two pairs with differences from 10 bits") {
  // wxyz: R 100, +15, -16, +1; G 200, -1, +2, -3; B 300, +4, -5, +6. Partition 13: the lower half.
  const uint32_t gy = 2, by = 0b11011, bz = 6, gz = 0b11101;
  const BlockBytes block =
      block_of_runs({{2, 0b00},        {1, gy >> 4}, {1, by >> 4}, {1, bz >> 4}, {10, 100},   {10, 200},    {10, 300},
                     {5, 15},          {1, gz >> 4}, {4, gy & 15}, {5, 31},      {1, bz & 1}, {4, gz & 15}, {5, 4},
                     {1, bz >> 1 & 1}, {4, by & 15}, {5, 16},      {1, bz >> 2}, {5, 1},      {1, bz >> 3}, {5, 13},
                     {2, 3},           {3, 7},       {18, 0},      {3, 5},       {18, 0},     {2, 2}});
  const HalfTexels texels = decode_bc6h(block.data(), false);
  const std::array<std::array<int, 3>, 4> ends{{{100, 200, 300}, {115, 199, 304}, {84, 202, 295}, {101, 197, 306}}};
  const auto expected = [&](size_t pair, size_t c, int weight) {
    return half_between(wide_endpoint(ends[2 * pair][c], 10), wide_endpoint(ends[2 * pair + 1][c], 10), weight);
  };
  for (size_t c = 0; c < 3; ++c) {
    CHECK(texels[0][c] == expected(0, c, 27));
    CHECK(texels[1][c] == expected(0, c, 64));
    CHECK(texels[2][c] == expected(0, c, 0));
    CHECK(texels[8][c] == expected(1, c, 46));
    CHECK(texels[9][c] == expected(1, c, 0));
    CHECK(texels[15][c] == expected(1, c, 18));
  }
}

TEST_CASE("BC6H: a signed block with differences from 11 bits") {
  // R 1000 and +20, G -1000 and -24 (the lowest value), B -1 and +1.
  const uint32_t green = 2048 - 1000, blue = 2047;
  const BlockBytes block = block_of_runs({{5, 0b00111},
                                          {10, 1000},
                                          {10, green & 1023},
                                          {10, blue & 1023},
                                          {9, 20},
                                          {1, 0},
                                          {9, 512 - 24},
                                          {1, 1},
                                          {9, 1},
                                          {1, 1},
                                          {3, 0},
                                          {4, 15},
                                          {56, 0}});
  const HalfTexels texels = decode_bc6h(block.data(), true);
  const auto wide = [](int value) { return (value << 15) / 1024 + (1 << 14) / 1024; };
  const auto negative = [](int value) { return uint16_t(0x8000 | value); };
  CHECK(texels[0] ==
        HalfColor{uint16_t(wide(1000) * 31 / 32), negative(wide(1000) * 31 / 32), negative(wide(1) * 31 / 32), 0x3c00});
  CHECK(texels[1] == HalfColor{uint16_t(wide(1020) * 31 / 32), negative(0x7fff * 31 / 32), 0, 0x3c00});
}

TEST_CASE("BC6H: the places of the bits are all different, and fields survive them") {
  for (const bc6h::Mode& mode : bc6h::modes) {
    CAPTURE(mode.number);
    CHECK(mode.index_start() == (mode.pair_count == 1 ? 65 : 82));
    bc6h::Fields fields{};
    for (size_t i = 0; i < 6 * size_t(mode.pair_count); ++i)
      fields[i] = (1u << (i < 3 ? mode.endpoint_bits : mode.delta_bits[i % 3])) - 1;
    if (mode.pair_count == 2) fields[bc6h::partition_field] = 31;
    bc6h::Block block{};
    put_fields(fields, mode, block);
    CHECK(bc6h::mode_of(block) == &mode);
    CHECK(fields_of(block, mode) == fields);
    for (int position = mode.number_bits; position < mode.index_start(); ++position)
      CHECK((block[size_t(position / 64)] >> position % 64 & 1) == 1);
  }
}

TEST_CASE("BC6H: a block with a reserved mode is black") {
  for (const int mode : {0b10011, 0b10111, 0b11011, 0b11111}) {
    BlockBytes block;
    block.fill(std::byte(0xff));
    block[0] = std::byte(0xe0 | mode);
    for (const bool is_signed : {false, true})
      for (const HalfColor& texel : decode_bc6h(block.data(), is_signed)) CHECK(texel == HalfColor{0, 0, 0, 0x3c00});
  }
}

TEST_CASE("BC6H: any bytes decode to numbers of the format") {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    BlockBytes block;
    for (std::byte& byte : block) byte = std::byte(random());
    block[0] = std::byte((i & 31) | (int(block[0]) & 0xe0));
    for (const HalfColor& texel : decode_bc6h(block.data(), false))
      for (size_t c = 0; c < 3; ++c) REQUIRE(texel[c] <= 0x7bff);
    for (const HalfColor& texel : decode_bc6h(block.data(), true))
      for (size_t c = 0; c < 3; ++c) REQUIRE((texel[c] & 0x7fff) <= 0x7c00);
  }
}
