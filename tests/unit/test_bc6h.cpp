// Checks the decoder and the encoder of BC6H blocks.
#include "core/base/half.h"
#include "core/codec/blocks/bc6h.h"
#include "core/codec/blocks/bc6h_modes.h"
#include "core/codec/blocks/partitions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <random>
#include <vector>

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

// Converts an endpoint of `bits` bits, less than 15, to 16 bits: the middle of its interval, or 0 or 65535 at the ends.
double wide_endpoint(int value, int bits) {
  if (value == 0) return 0;
  if (value == (1 << bits) - 1) return 65535;
  return std::floor((value + 0.5) * 65536 / (1 << bits));
}

HalfTexels half_texels(const std::function<uint16_t(size_t texel, size_t c)>& value) {
  HalfTexels texels;
  for (size_t i = 0; i < 16; ++i)
    for (size_t c = 0; c < 4; ++c) texels[i][c] = c < 3 ? value(i, c) : 0x3c00;
  return texels;
}

HalfTexels encoded_and_decoded(const HalfTexels& texels) {
  BlockBytes block;
  block.fill(std::byte(0xa5));
  encode_bc6h(texels, block.data());
  return decode_bc6h(block.data(), false);
}

struct HalfErrors {
  double largest = 0, root_mean_square = 0;  // of the bits of halves as integers
};

HalfErrors half_errors(const HalfTexels& texels) {
  const HalfTexels decoded = encoded_and_decoded(texels);
  HalfErrors errors;
  for (size_t i = 0; i < 16; ++i) {
    CHECK(decoded[i][3] == 0x3c00);
    for (size_t c = 0; c < 3; ++c) {
      const double error = std::abs(double(texels[i][c]) - decoded[i][c]);
      errors.largest = std::max(errors.largest, error);
      errors.root_mean_square += error * error / 48;
    }
  }
  errors.root_mean_square = std::sqrt(errors.root_mean_square);
  return errors;
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
  // wxyz: R 100, +15, -16, +1; G 200, -1, +2, -3; B 300, +4, -5, +10. Partition 13: the lower half.
  const uint32_t gy = 2, by = 0b11011, bz = 10, gz = 0b11101;
  const BlockBytes block =
      block_of_runs({{2, 0b00},        {1, gy >> 4}, {1, by >> 4}, {1, bz >> 4}, {10, 100},   {10, 200},    {10, 300},
                     {5, 15},          {1, gz >> 4}, {4, gy & 15}, {5, 31},      {1, bz & 1}, {4, gz & 15}, {5, 4},
                     {1, bz >> 1 & 1}, {4, by & 15}, {5, 16},      {1, bz >> 2}, {5, 1},      {1, bz >> 3}, {5, 13},
                     {2, 3},           {3, 7},       {18, 0},      {3, 5},       {18, 0},     {2, 2}});
  const HalfTexels texels = decode_bc6h(block.data(), false);
  const std::array<std::array<int, 3>, 4> ends{{{100, 200, 300}, {115, 199, 304}, {84, 202, 295}, {101, 197, 310}}};
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

TEST_CASE("BC6H: a signed number that rounds to 0 has no sign") {
  BlockBytes block;
  block.fill(std::byte(0));
  block[0] = std::byte(0b01111);
  for (int position = 5; position < 35; ++position) block[size_t(position / 8)] |= std::byte(1 << position % 8);
  for (const int position : {39, 49, 59})  // bits 10 to 15 of the first end
    for (int i = 0; i < 6; ++i) block[size_t((position + i) / 8)] |= std::byte(1 << (position + i) % 8);
  for (const HalfColor& texel : decode_bc6h(block.data(), true)) CHECK(texel == HalfColor{0, 0, 0, 0x3c00});
}

TEST_CASE("BC6H: blocks of all modes and partitions decode as in OpenImageIO") {
  std::mt19937 random(1);
  std::array<uint32_t, 2> hashes{2166136261, 2166136261};
  for (int i = 0; i < 16384; ++i) {
    BlockBytes block;
    for (std::byte& byte : block) byte = std::byte(random() & 255);
    block[0] = std::byte((i & 31) | (int(block[0]) & 0xe0));
    for (const bool is_signed : {false, true})
      for (const HalfColor& texel : decode_bc6h(block.data(), is_signed))
        for (size_t c = 0; c < 3; ++c) hashes[is_signed] = (hashes[is_signed] ^ texel[c]) * 16777619;
  }
  CHECK(hashes[0] == 3914365579);
  CHECK(hashes[1] == 1080016273);
}

TEST_CASE("BC6H: a block of one color is exact") {
  std::vector<int> halves{0, 1, 2, 0x3ff, 0x400, 0x3800, 0x3c00, 0x7bfe, 0x7bff};
  for (int half = 0; half < 0x7bff; half += 97) halves.push_back(half);
  for (const int half : halves) {
    CAPTURE(half);
    const HalfColor color{uint16_t(half), uint16_t(0x7bff - half), uint16_t(half / 3)};
    CHECK(half_errors(half_texels([&](size_t, size_t c) { return color[c]; })).largest == 0);
  }
}

TEST_CASE("BC6H: NaN and negative numbers become 0, and infinity the largest half") {
  const std::array<uint16_t, 4> odd{0x7e00, 0xbc00, 0x8001, 0xfc00};
  for (const uint16_t zero : odd) {
    const HalfTexels decoded =
        encoded_and_decoded(half_texels([&](size_t, size_t c) { return c == 1 ? 0x7c00 : zero; }));
    for (const HalfColor& texel : decoded) CHECK(texel == HalfColor{0, 0x7bff, 0, 0x3c00});
  }
  const HalfTexels mixed =
      encoded_and_decoded(half_texels([&](size_t i, size_t) { return i % 3 ? odd[i % 4] : 0x7c00; }));
  for (size_t i = 0; i < 16; ++i) CHECK(mixed[i][1] == (i % 3 ? 0 : 0x7bff));
}

TEST_CASE("BC6H: ramps stay near") {
  const auto ramp = [](int first, int step, std::array<int, 3> along) {
    return half_errors(half_texels([&](size_t i, size_t c) { return uint16_t(first + int(i) * step * along[c]); }));
  };
  CHECK(ramp(0x3000, 1, {1, 1, 1}).largest <= 1);
  CHECK(ramp(0x3000, 16, {1, 1, 1}).largest <= 8);
  CHECK(ramp(0x2c00, 200, {1, 1, 1}).largest <= 24);
  CHECK(ramp(0x2c00, 200, {1, 0, 0}).largest <= 24);
  CHECK(ramp(0x3c00, 100, {2, -1, 1}).largest <= 48);
}

TEST_CASE("BC6H: each of two regions has colors of its own") {
  for (uint32_t partition = 0; partition < 32; ++partition) {
    CAPTURE(partition);
    const HalfTexels texels = half_texels([&](size_t i, size_t c) {
      const bool is_second = pairs_of_two[partition] >> i & 1;
      return uint16_t(0x3800 + (c == (is_second ? 2 : 0) ? 24 * int(i) : 0));
    });
    CHECK(half_errors(texels).root_mean_square < 16);  // one line is more than 60 away
  }
}

TEST_CASE("BC6H: 0.001 beside 1000") {
  const std::array<uint16_t, 2> values{half_from_float(0.001f), half_from_float(1000)};
  for (const size_t period : {2, 3, 5, 15})
    CHECK(half_errors(half_texels([&](size_t i, size_t) { return values[i % period == 0]; })).largest <= 16);
}

TEST_CASE("BC6H: noise") {
  std::mt19937 random(2);
  double sum = 0;
  for (int i = 0; i < 400; ++i)
    sum +=
        half_errors(half_texels([&](size_t, size_t) { return uint16_t(0x3000 + random() % 0xc00); })).root_mean_square;
  CHECK(sum / 400 < 464);
}

TEST_CASE("BC6H: noise of grays, of which some anchors are in the middle") {
  std::mt19937 random(4);
  double sum = 0;
  for (int i = 0; i < 2000; ++i) {
    std::array<uint16_t, 16> grays;
    for (uint16_t& gray : grays) gray = uint16_t(0x3000 + random() % 1500);
    const HalfErrors errors = half_errors(half_texels([&](size_t texel, size_t) { return grays[texel]; }));
    CHECK(errors.largest < 100);
    sum += errors.root_mean_square;
  }
  CHECK(sum / 2000 < 22.1);
}

TEST_CASE("BC6H: any texels can be encoded") {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const uint32_t mask = random();  // some blocks have few bits that differ
    const uint16_t base = uint16_t(random());
    BlockBytes block;
    encode_bc6h(half_texels([&](size_t, size_t) { return uint16_t(base ^ (random() & mask)); }), block.data());
    const int low = int(block[0]) & 31;
    CHECK(((low & 3) < 3 || low < 16));  // no reserved mode
  }
}
